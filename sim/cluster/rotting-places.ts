/** Where a bit may rot: in the first `before` bytes of a file. */
export interface RottingPlace {
  readonly path: string
  readonly before: number
}

/** Less than this is likely the work of one write, which a rotten bit makes look torn. */
const writtenBytesMin = 8 << 10

/**
 * Files in which a bit may rot so that it is found out: snapshots, and the older half of what each part of the log holds.
 * In the last thing written rot looks like a torn write, which is cut in silence: a disk that does that to what it
 * acknowledged breaks its promise, and no single server could tell.
 */
export function rottingPlaces(files: ReadonlyMap<string, Uint8Array>): readonly RottingPlace[] {
  const places: RottingPlace[] = []
  for (const [path, bytes] of files) {
    if (path.endsWith('.snapshot')) places.push({ path, before: bytes.length })
    else if (path.startsWith('/data/raft/log/') || path.startsWith('/data/mdb/')) {
      const written = writtenLength(bytes)
      if (written >= writtenBytesMin) places.push({ path, before: written >> 1 })
    }
  }
  return places.filter(({ before }) => before > 0)
}

/** Space set aside for what is still to be written is all zero. */
function writtenLength(bytes: Uint8Array): number {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length--
  return length
}
