// Functions that call themselves.
fn direct() { direct(); }                 // error recursion: 'direct' calls itself
fn ping(n : i32) -> i32 { return pong(n); }   // error recursion: 'ping' calls itself through 'pong'
fn pong(n : i32) -> i32 { return ping(n); }
fn one() { two(); }                       // error recursion: 'one' calls itself through 'two' and others
fn two() { three(); }
fn three() { one(); }
fn fine() { direct(); _ = ping(1); }
