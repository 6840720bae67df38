/** Where a bit may rot: within the first `before` bytes of a file. */
export interface RottingPlace {
  readonly path: string
  readonly before: number
}

/** Fewer bytes than this are likely from one write, which a rotten bit makes look torn. */
const writtenBytesMin = 8 << 10

/**
 * Files in which a rotten bit is detected: snapshots, and the older half of each part of the log. In the last write,
 * rot looks like a torn write, which is cut silently: a disk that does this to acknowledged data breaks its promise,
 * and no single server could tell.
 */
export function rottingPlaces(files: ReadonlyMap<string, Uint8Array>): readonly RottingPlace[] {
  const places: RottingPlace[] = []
  for (const [path, bytes] of files) {
    if (path.endsWith('.snapshot')) places.push({ path, before: bytes.length })
    else if (isSegment(path)) {
      const written = writtenLength(bytes)
      if (written >= writtenBytesMin) places.push({ path, before: written >> 1 })
    }
  }
  return places.filter(({ before }) => before > 0)
}

function isSegment(path: string): boolean {
  return /^\/data\/(raft\/log|mdb)\/[0-9]+\.log$/.test(path)
}

/** Number of bytes that are inserted. */
const insertedBytes = 64

/**
 * Changed bytes of the log's newest file, as after a cut or an insertion; undefined without a log. If bytes are
 * inserted with the size unchanged, they are in the older half of the written part: at the very end, they would look
 * like a torn write, as with `rottingPlaces`.
 */
export function harmedLog(
  files: ReadonlyMap<string, Uint8Array>,
  draw: (bound: number) => number,
): { readonly path: string; readonly bytes: Uint8Array } | undefined {
  const found = [...files].filter(([path]) => isSegment(path)).sort(([a], [b]) => (a < b ? 1 : -1))[0]
  if (found === undefined) return undefined
  const [path, bytes] = found
  const written = writtenLength(bytes)
  const kind = draw(written >= writtenBytesMin ? 4 : 3)
  if (kind === 0) return { path, bytes: bytes.slice(0, draw(bytes.length)) }
  if (kind === 1) return { path, bytes: bytes.slice(0, written) }
  const at = draw(kind === 2 ? written : written >> 1)
  const longer = new Uint8Array(bytes.length + insertedBytes)
  longer.set(bytes.subarray(0, at))
  longer.set(bytes.subarray(at), at + insertedBytes)
  return { path, bytes: kind === 2 ? longer : longer.slice(0, bytes.length) }
}

/** Length without the space reserved for later writes, which is all zero. */
function writtenLength(bytes: Uint8Array): number {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length--
  return length
}
