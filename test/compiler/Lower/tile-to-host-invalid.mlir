// RUN: jacquard-opt %s -split-input-file -verify-diagnostics --tile-to-host

tile.kernel @unknown {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  // expected-error@+1 {{has no place in a host kernel}}
  %x = vector.broadcast %b : i64 to vector<8xi64>
  tile.return
}
