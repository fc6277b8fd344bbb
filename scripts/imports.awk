# imports.awk: who may import whom.
# In:  imports.allow, then "IMPORTER IMPORTED" lines of `go list`; m is the
#      module's path with a slash.
# Out: one line per import that is not listed, and per listed package or import
#      that does not exist, so that the list stays true; exit status 1 when there
#      is any.
# The standard library may always be imported. A path of another module also allows
# the packages below it; a path of this module allows that package alone. FOLDER/*
# stands for the packages directly in a folder: as an importer for those without a row
# of their own, as an import for all of them.
# parent returns FOLDER/* for the path of a package.
function parent(path) { sub(/\/[^\/]*$/, "/*", path); return path }
# imports.allow: p is an importer, d are its imports.
NR == FNR {
	sub(/#.*/, "")
	if (NF == 0) next
	n = index($0, ":")
	p = substr($0, 1, n - 1)
	listed[p] = 1
	k = split(substr($0, n + 1), d, " ")
	for (i = 1; i <= k; i++) allowed[p, d[i]] = 1
	next
}
# go list: p is the importer and q the import, without the path of this module.
NF >= 1 {
	p = $1 "/" == m ? "." : substr($1, length(m) + 1)
	seen[p] = 1
	if (p ~ /^bench(\/|$)/ || NF < 2) next
	own = index($2, m) == 1
	q = own ? substr($2, length(m) + 1) : $2
	if (own && q ~ /^bench(\/|$)/ && p != "cmd/plumb") { print p " may not import " q ": only cmd/plumb imports bench"; bad = 1; next }
	if (!own && q != "C" && q !~ /^[^\/]*\./) next # standard library
	if (!(p in listed) && parent(p) in listed) {
		p = parent(p)
		seen[p] = 1
	}
	if ((p, q) in allowed) { used[p, q] = 1; next }
	if (own && (p, parent(q)) in allowed) { used[p, parent(q)] = 1; next }
	if (!own)
		for (path = q; sub(/\/[^\/]*$/, "", path);)
			if ((p, path) in allowed) { used[p, path] = 1; next }
	print $1 " may not import " q
	bad = 1
}
END {
	for (p in listed)
		if (!(p in seen) && p !~ /\/\*$/) { print "imports.allow lists " p ", which is no package or imports nothing"; bad = 1 }
	for (k in allowed) {
		split(k, d, SUBSEP)
		if (!(k in used) && d[1] !~ /\/\*$/) { print "imports.allow lets " d[1] " import " d[2] ", which it does not"; bad = 1 }
	}
	exit bad
}
