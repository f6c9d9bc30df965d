import {
  COORDINATE_BITS,
  type Curve,
  checkPlace,
  checkPoint,
  interleave,
  separate,
} from "./curve.ts";

/*
 * The Morton curve (Z-order): the bits of the coordinates in turn. Cheap, and jumps.
 *
 *   point      place
 *   0, 0       0
 *   0, 1       1
 *   1, 0       2
 *   3, 5       27
 */

function morton(dimensions: 2 | 3): Curve {
  const bits = COORDINATE_BITS[dimensions];
  return {
    dimensions,
    encode(point) {
      checkPoint(point, dimensions);
      return interleave(point, bits);
    },
    decode(at) {
      checkPlace(at, dimensions);
      return separate(at, dimensions, bits);
    },
    cell: interleave,
  };
}

export const morton2: Curve = morton(2);
export const morton3: Curve = morton(3);
