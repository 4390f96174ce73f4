// The file lets package goroutine declare a function without a body.
