package parser_test
import ("testing";"os";"github.com/flagwatch/flagwatch/bench/gen")
func TestZZ3(t *testing.T){ if os.Getenv("ZZ")=="" {return}; g,_:=gen.New(gen.Config{Dialect:"istio-text",Fail:0.06,Seed:1}); f,_:=os.Create("/tmp/fmt/gen.log"); g.Write(f,2<<20); f.Close() }
