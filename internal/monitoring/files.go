package monitoring

// A File is one that is made.
type File struct {
	Name string
	Text string
}

// RuleFile is the file of rules.
func RuleFile() File { return File{"flagwatch.yaml", Rules().YAML()} }

// DashboardFiles are the files of dashboards, each named after its uid.
func DashboardFiles() (list []File) {
	for _, d := range Dashboards() {
		list = append(list, File{d.UID + ".json", d.JSON()})
	}
	return list
}
