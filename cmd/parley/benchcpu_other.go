//go:build !unix

package main

import (
	"os"
	"time"
)

// cpuTime and peakMemory are unknown on this system.
func cpuTime() time.Duration { return 0 }

func peakMemory(*os.ProcessState) int64 { return 0 }
