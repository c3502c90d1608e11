package memory

type Mapping = mapping

var (
	Unchanged    = unchanged
	MappingOf    = mappingOf
	UnmapProgram = unmapProgram
)
