// Ids are unique and below 65536.
@id(0) override a = 1;
@id(65535) override b = 1;
@id(65536) override c = 1;   // error attribute_value: an id must be at most 65535, but this is 65536
@id(0) override d = 1;       // error duplicate_id@1: the id 0 is the one of 'a' already
@id(-1) override e = 1;      // error attribute_value: must not be negative
@id(1) override f : bool;
