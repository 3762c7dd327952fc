// Ids, deltas and masks of subgroups.
enable subgroups;
override o : u32;

fn accepted(i : u32) {
  _ = subgroupBroadcast(1.5, 0);
  _ = subgroupBroadcast(vec2(1, 2), 127u);
  _ = quadBroadcast(1, 3);
  _ = subgroupShuffle(1, i);
  _ = subgroupShuffle(1, 127);
  _ = subgroupShuffleUp(1, o);
  _ = subgroupShuffleDown(1, 127);
  _ = subgroupShuffleXor(1, 0);
}

fn ranges() {
  _ = subgroupBroadcast(1, 128);     // error argument_range: the argument 'id' of 'subgroupBroadcast' is 128, but must be from 0 to 127
  _ = subgroupBroadcast(1, -1);      // error argument_range: is -1
  _ = quadBroadcast(1, 4);           // error argument_range: the argument 'id' of 'quadBroadcast' is 4, but must be from 0 to 3
  _ = subgroupShuffle(1, 128);       // error argument_range: the argument 'id' of 'subgroupShuffle' is 128
  _ = subgroupShuffle(1, -1);        // error argument_range: the argument 'id' of 'subgroupShuffle' is -1
  _ = subgroupShuffleUp(1, 128);     // error argument_range: the argument 'delta' of 'subgroupShuffleUp' is 128
  _ = subgroupShuffleDown(1, 128);   // error argument_range: 'subgroupShuffleDown'
  _ = subgroupShuffleXor(1, 128);    // error argument_range: the argument 'mask' of 'subgroupShuffleXor' is 128
}

fn not_constant(i : u32) {
  _ = subgroupBroadcast(1, i);       // error not_const: the argument 'id' of 'subgroupBroadcast' must be a const-expression
  _ = subgroupBroadcast(1, o);       // error not_const:
  _ = quadBroadcast(1, i);           // error not_const: 'quadBroadcast'
}

fn types(i : i32) {
  _ = subgroupShuffleUp(1, i);       // error argument_type: is 'i32', but must be 'u32'
  _ = subgroupAnd(1.5);              // error argument_type: is 'abstract-float', but must be i32 or u32, or a vector of these
  _ = subgroupAll(1);                // error argument_type: must be 'bool'
  _ = subgroupAdd(true);             // error argument_type: is 'bool'
  _ = subgroupBallot(1);             // error argument_type: must be 'bool'
}
