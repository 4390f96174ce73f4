// A program of its own that uses gonterp. Outside this repository, leave out the
// replace directive and run: go get github.com/gonterp/gonterp
module example

go 1.26

require github.com/gonterp/gonterp v0.0.0

replace github.com/gonterp/gonterp => ../../..
