package gonterp

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/gonterp/gonterp/runtime/torch"
	"github.com/parquet-go/parquet-go"
)

// writeParquet writes a row for each token: the columns without further axes as
// numbers, the others as lists of numbers, row by row, whose shape is in the file's
// metadata under the column's name. The numbers of a part are in memory at once.
func writeParquet(w io.Writer, parts []*cachePart, metadata map[string]string) error {
	group := parquet.Group{}
	for _, c := range parts[0].columns {
		leaf := parquetLeaf(c.dtype)
		if leaf == nil {
			return fmt.Errorf("%s is %v, which a Parquet table cannot hold", c.name, c.dtype)
		}
		if len(c.shape) > 1 {
			leaf = parquet.List(leaf)
			metadata["shape:"+c.name] = fmt.Sprint(c.shape[1:])
		}
		group[c.name] = leaf
	}
	schema := parquet.NewSchema("tokens", group)
	order := map[string]int{} // a group's columns are sorted by name
	for i, path := range schema.Columns() {
		order[path[0]] = i
	}
	options := []parquet.WriterOption{schema, parquet.Compression(&parquet.Zstd)}
	for key, value := range metadata {
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	table := parquet.NewWriter(w, options...)
	for i, part := range parts {
		rows, err := parquetRows(part, order)
		if err != nil {
			return err
		}
		if _, err := table.WriteRows(rows); err != nil {
			return err
		}
		if err := table.Flush(); err != nil {
			return err
		}
		advance("writing the table", i+1, len(parts))
	}
	return table.Close()
}

func parquetLeaf(d torch.DType) parquet.Node {
	switch {
	case d == torch.Float64:
		return parquet.Leaf(parquet.DoubleType)
	case d.IsFloat() && d.Size() >= 2:
		return parquet.Leaf(parquet.FloatType)
	case d == torch.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case d.IsInt():
		return parquet.Int(64)
	}
	return nil
}

// parquetRows are the rows of a part; order gives each column's place.
func parquetRows(part *cachePart, order map[string]int) ([]parquet.Row, error) {
	rows := make([]parquet.Row, part.rows)
	sorted := make([]*column, len(part.columns))
	for i := range part.columns {
		sorted[order[part.columns[i].name]] = &part.columns[i]
	}
	for place, c := range sorted {
		r, err := c.read()
		if err != nil {
			return nil, err
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if int64(len(raw)) != c.size() {
			return nil, fmt.Errorf("%s has %d bytes and should have %d: its parts have been changed", c.name, len(raw), c.size())
		}
		width, size := c.numel()/max(1, part.rows), c.dtype.Size()
		for i := range rows {
			for j := range width {
				v := parquetValue(raw[(i*width+j)*size:], c.dtype)
				repetition, definition := min(j, 1), min(len(c.shape)-1, 1)
				rows[i] = append(rows[i], v.Level(repetition, definition, place))
			}
		}
	}
	return rows, nil
}

// parquetValue is the number at the start of raw.
func parquetValue(raw []byte, d torch.DType) parquet.Value {
	switch d {
	case torch.Float64:
		return parquet.DoubleValue(math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	case torch.Float32:
		return parquet.FloatValue(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	case torch.BFloat16:
		return parquet.FloatValue(math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw)) << 16))
	case torch.Float16:
		return parquet.FloatValue(halfFloat(binary.LittleEndian.Uint16(raw)))
	case torch.Bool:
		return parquet.BooleanValue(raw[0] != 0)
	case torch.Int64:
		return parquet.Int64Value(int64(binary.LittleEndian.Uint64(raw)))
	case torch.Int32:
		return parquet.Int64Value(int64(int32(binary.LittleEndian.Uint32(raw))))
	case torch.Int16:
		return parquet.Int64Value(int64(int16(binary.LittleEndian.Uint16(raw))))
	case torch.Int8:
		return parquet.Int64Value(int64(int8(raw[0])))
	}
	return parquet.Int64Value(int64(raw[0]))
}

// halfFloat is the value of an IEEE 754 binary16.
func halfFloat(h uint16) float32 {
	sign, exponent, fraction := 1.0, int(h>>10&0x1f), float64(h&0x3ff)
	if h&0x8000 != 0 {
		sign = -1
	}
	switch exponent {
	case 0x1f:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	case 0:
		return float32(sign * math.Ldexp(fraction, -24))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}
