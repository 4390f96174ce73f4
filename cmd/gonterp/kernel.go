package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/gonterp/gonterp/interp"
	"github.com/gonterp/gonterp/kernel"
)

// kernelCommand installs the kernel, or is the kernel that Jupyter starts.
func kernelCommand(args []string) error {
	if len(args) > 0 && args[0] == "install" {
		return kernelInstall(args[1:])
	}
	flags := flag.NewFlagSet("kernel", flag.ContinueOnError)
	connection := flags.String("connection", "", "the connection file that Jupyter wrote")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *connection == "" {
		return fmt.Errorf("kernel is started by Jupyter. To make Jupyter know it: gonterp kernel install")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return kernel.Run(*connection, []string{self, "worker"})
}

// kernelInstall makes the kernel known to Jupyter.
func kernelInstall(args []string) error {
	var opt kernel.InstallOptions
	flags := flag.NewFlagSet("kernel install", flag.ContinueOnError)
	flags.StringVar(&opt.Prefix, "prefix", "", "install below PREFIX/share/jupyter, as for a virtual environment")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder, err := kernel.Install(opt)
	if err != nil {
		return err
	}
	fmt.Println("the kernel gonterp is installed in", folder)
	return nil
}

// worker is the process that runs cells for the kernel.
func worker() error {
	in, out, err := kernel.Pipes()
	if err != nil {
		return err
	}
	return kernel.ServeWorker(in, out, func() (interp.Sessions, error) { return newSession() })
}
