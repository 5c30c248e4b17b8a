package export

import (
	"fmt"
	"os"
)

// ToFile writes the rows to a file, which is replaced once all of them are written.
func ToFile(path string, rows []Row) error {
	temporary := path + ".tmp"
	file, err := os.Create(temporary)
	if err != nil {
		return fmt.Errorf("create %s: %w", temporary, err)
	}
	err = Write(file, rows)
	if err := file.Close(); err != nil {
		err = fmt.Errorf("close %s: %w", temporary, err)
	}
	if err != nil {
		os.Remove(temporary)
		return err
	}
	return os.Rename(temporary, path)
}
