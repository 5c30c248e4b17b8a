package hits

import "sort"

// Visit is how often a path was visited.
type Visit struct {
	Path  string
	Times int
}

// Top gives the n most visited paths, the most visited first.
func (c *Counter) Top(n int) []Visit {
	all := c.snapshot()
	sort.Slice(all, func(i, j int) bool { return all[i].Times > all[j].Times })
	return all[:min(max(n, 0), len(all))]
}

// snapshot copies the counts, so that they are sorted without holding anybody up.
func (c *Counter) snapshot() []Visit {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Visit, 0, len(c.visits))
	for path, times := range c.visits {
		all = append(all, Visit{path, times})
	}
	return all
}
