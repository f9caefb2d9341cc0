//go:build !unix

package store

func isFull(error) bool     { return false }
func isReadOnly(error) bool { return false }
