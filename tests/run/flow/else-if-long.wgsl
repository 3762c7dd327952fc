// Long chains are laid out flat.
// run: groups 1, out b = [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 1026, 1027, 1028, 1029, 1030, 1031, 1032, 1033, 1034, 1035, 1036, 1037, 1038, 1039, 1040, 1041, 1042, 1043, 1044, 1045, 1046, 1047, 1048, 1049, 1050, 1051, 1052, 1053, 1054, 1055, 1056, 1057, 1058, 1059, 1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069, 1070, 1071, 1072, 1073, 1074, 1075, 1076, 1077, 1078, 1079, 7, 7]

@group(0) @binding(0) var<storage, read_write> b : array<u32>;

fn pick(i : u32) -> u32 {
  var r = 0u;
  if i == 0u {
    r = 1000u;
  } else if i == 1u {
    r = 1001u;
  } else if i == 2u {
    return 1002u;
  } else if i == 3u {
    r = 1003u;
  } else if i == 4u {
    r = 1004u;
  } else if i == 5u {
    return 1005u;
  } else if i == 6u {
    r = 1006u;
  } else if i == 7u {
    r = 1007u;
  } else if i == 8u {
    return 1008u;
  } else if i == 9u {
    r = 1009u;
  } else if i == 10u {
    r = 1010u;
  } else if i == 11u {
    return 1011u;
  } else if i == 12u {
    r = 1012u;
  } else if i == 13u {
    r = 1013u;
  } else if i == 14u {
    return 1014u;
  } else if i == 15u {
    r = 1015u;
  } else if i == 16u {
    r = 1016u;
  } else if i == 17u {
    return 1017u;
  } else if i == 18u {
    r = 1018u;
  } else if i == 19u {
    r = 1019u;
  } else if i == 20u {
    return 1020u;
  } else if i == 21u {
    r = 1021u;
  } else if i == 22u {
    r = 1022u;
  } else if i == 23u {
    return 1023u;
  } else if i == 24u {
    r = 1024u;
  } else if i == 25u {
    r = 1025u;
  } else if i == 26u {
    return 1026u;
  } else if i == 27u {
    r = 1027u;
  } else if i == 28u {
    r = 1028u;
  } else if i == 29u {
    return 1029u;
  } else if i == 30u {
    r = 1030u;
  } else if i == 31u {
    r = 1031u;
  } else if i == 32u {
    return 1032u;
  } else if i == 33u {
    r = 1033u;
  } else if i == 34u {
    r = 1034u;
  } else if i == 35u {
    return 1035u;
  } else if i == 36u {
    r = 1036u;
  } else if i == 37u {
    r = 1037u;
  } else if i == 38u {
    return 1038u;
  } else if i == 39u {
    r = 1039u;
  } else if i == 40u {
    r = 1040u;
  } else if i == 41u {
    return 1041u;
  } else if i == 42u {
    r = 1042u;
  } else if i == 43u {
    r = 1043u;
  } else if i == 44u {
    return 1044u;
  } else if i == 45u {
    r = 1045u;
  } else if i == 46u {
    r = 1046u;
  } else if i == 47u {
    return 1047u;
  } else if i == 48u {
    r = 1048u;
  } else if i == 49u {
    r = 1049u;
  } else if i == 50u {
    return 1050u;
  } else if i == 51u {
    r = 1051u;
  } else if i == 52u {
    r = 1052u;
  } else if i == 53u {
    return 1053u;
  } else if i == 54u {
    r = 1054u;
  } else if i == 55u {
    r = 1055u;
  } else if i == 56u {
    return 1056u;
  } else if i == 57u {
    r = 1057u;
  } else if i == 58u {
    r = 1058u;
  } else if i == 59u {
    return 1059u;
  } else if i == 60u {
    r = 1060u;
  } else if i == 61u {
    r = 1061u;
  } else if i == 62u {
    return 1062u;
  } else if i == 63u {
    r = 1063u;
  } else if i == 64u {
    r = 1064u;
  } else if i == 65u {
    return 1065u;
  } else if i == 66u {
    r = 1066u;
  } else if i == 67u {
    r = 1067u;
  } else if i == 68u {
    return 1068u;
  } else if i == 69u {
    r = 1069u;
  } else if i == 70u {
    r = 1070u;
  } else if i == 71u {
    return 1071u;
  } else if i == 72u {
    r = 1072u;
  } else if i == 73u {
    r = 1073u;
  } else if i == 74u {
    return 1074u;
  } else if i == 75u {
    r = 1075u;
  } else if i == 76u {
    r = 1076u;
  } else if i == 77u {
    return 1077u;
  } else if i == 78u {
    r = 1078u;
  } else if i == 79u {
    r = 1079u;
  } else {
    return 7;
  }
  return r;
}

@compute @workgroup_size(82)
fn main(@builtin(local_invocation_index) i : u32) {
  b[i] = pick(i);
}
