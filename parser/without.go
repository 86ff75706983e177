package parser

// Without returns a copy of an access record as it would be if these fields
// were not logged. It outlives the parser's next record.
func (r *Record) Without(fields FieldSet) *Record {
	c := r.Clone()
	c.present &^= fields
	c.layout &^= fields
	c.plain, c.ending = false, span{}
	if fields.Has(ResponseCode) {
		c.code, c.hasCode = 0, false
	}
	if fields.Has(ResponseFlags) {
		c.flags, c.hasFlags = 0, false
	}
	return c
}
