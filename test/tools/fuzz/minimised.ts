/**
 * The shortest input found that still does the same: takes away pieces, halves first, then smaller ones (Zeller and
 * Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002), and then makes bytes zero. At most `runsMax`
 * tries.
 */
export async function minimised(
  bytes: Uint8Array,
  doesTheSame: (shorter: Uint8Array) => Promise<boolean>,
  runsMax: number,
): Promise<Uint8Array> {
  let [best, runs] = [bytes, 0]
  const tries = async (candidate: Uint8Array): Promise<boolean> => {
    if (runs >= runsMax) return false
    runs++
    if (!(await doesTheSame(candidate))) return false
    best = candidate
    return true
  }
  for (
    let size = Math.ceil(best.length / 2);
    size >= 1 && runs < runsMax;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < best.length && runs < runsMax; ) {
      const without = new Uint8Array(best.length - Math.min(size, best.length - at))
      without.set(best.subarray(0, at))
      without.set(best.subarray(Math.min(best.length, at + size)), at)
      if (!(await tries(without))) at += size
    }
  }
  for (let at = 0; at < best.length && runs < runsMax; at++) {
    if (best[at] === 0) continue
    const plain = best.slice()
    plain[at] = 0
    await tries(plain)
  }
  return best
}
