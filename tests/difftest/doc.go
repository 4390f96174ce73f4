// Command difftest compares the engine with the Go compiler: it makes random
// programs, runs each as a cell and as part of a compiled program, and prints
// where their output differs.
//
//	go run ./tests/difftest -n 5000 -seed 7
package main
