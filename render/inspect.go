package render

import "plumb/render/batch"

// TileInfo is one tile of a prepared view, for people who examine its cost. Only tiles that an
// outline crosses exist; interiors are summed in closed form.
type TileInfo struct {
	X, Y, W, H int // px
	// Class is how the tile is evaluated: "plain" (opaque paints of one set), "double"
	// (of two) or "full" (also opacities, clips, groups).
	Class   string
	Items   int // paths that reach the tile: its overdraw
	Records int // rows of masks that the shader reads
}

var classNames = map[batch.Class]string{batch.Plain: "plain", batch.Double: "double", batch.Full: "full"}

// Inspect lists the tiles of a prepared view, with the rows of masks that each needs. A pending view
// has none, nor has one that was prepared for its tally alone.
func (p *Prepared) Inspect() []TileInfo {
	if p.tiled == nil {
		return nil
	}
	var out []TileInfo
	t := p.tiled
	for class, runs := range t.Runs { // a run is a few tiles of one tile row
		for _, r := range runs {
			for _, tile := range t.Tiles[r.FirstTile : r.FirstTile+r.TileCount] {
				info := TileInfo{X: int(r.X + tile.Col), Y: int(r.Y),
					W: tile.ValidColumns(), H: tile.ValidRows(),
					Class: classNames[batch.Class(class)], Items: int(tile.ItemCount)}
				for i := range tile.ItemCount {
					info.Records += t.Items[tile.FirstItem+i].Rows()
				}
				out = append(out, info)
			}
		}
	}
	return out
}
