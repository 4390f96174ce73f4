// Package verify runs a reference folder through gonterp and compares every value
// with what transformers computed: plain runs, interventions, gradients and
// generation, in the format that tests/reference/README.md describes.
//
// Of the project it imports only the root package, so that it proves what a user
// can reach.
package verify
