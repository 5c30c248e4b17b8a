package hits

import "sort"

// Visit is how often a path was visited.
type Visit struct {
	Path  string
	Times int
}

// Top gives the n most visited paths, the most visited first.
func (c *Counter) Top(n int) []Visit {
	all := make([]Visit, 0, len(c.visits))
	for path, times := range c.visits {
		all = append(all, Visit{path, times})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Times > all[j].Times })
	if len(all) > n {
		all = all[:n]
	}
	return all
}
