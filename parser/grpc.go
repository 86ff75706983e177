package parser

// grpcNames are the names of gRPC's status codes by number, in lower case.
// Source: https://grpc.io/docs/guides/status-codes/
var grpcNames = [...]string{
	"ok", "canceled", "unknown", "invalidargument", "deadlineexceeded", "notfound", "alreadyexists", "permissiondenied",
	"resourceexhausted", "failedprecondition", "aborted", "outofrange", "unimplemented", "internal", "unavailable", "dataloss", "unauthenticated",
}

// GRPCStatusNumber reads a gRPC status that was logged as a number or by name,
// in camel or snake case (Unavailable, UNAVAILABLE, DEADLINE_EXCEEDED). Numbers
// that gRPC does not define are returned as they are.
func GRPCStatusNumber(b []byte) (int, bool) {
	if n, ok := parseInt(b); ok {
		return int(n), n >= 0 && n < 1<<31
	}
	for i, name := range grpcNames {
		if sameStatus(b, name) {
			return i, true
		}
	}
	return 1, sameStatus(b, "cancelled")
}

// sameStatus compares without regard to case and underscores.
func sameStatus(b []byte, name string) bool {
	for _, c := range b {
		if c == '_' {
			continue
		}
		if name == "" || c|' ' != name[0] {
			return false
		}
		name = name[1:]
	}
	return name == ""
}
