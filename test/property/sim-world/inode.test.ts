import { describe, expect, it } from 'vitest'
import { Inode } from '../../../sim/world/disk/inode.ts'
import { Slab } from '../../../sim/world/slab.ts'
import { fc } from '../../fast-check.ts'

type Draws = Parameters<Inode['failSync']>[1]

/** The same numbers for both. */
function drawsFrom(seed: number): Draws {
  let word = seed
  const below = (limit: number): number => {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0
    return word % limit
  }
  return { below } as unknown as Draws
}

type Change = { readonly at: number; readonly bytes: readonly number[] } | { readonly size: number }

/** A file by its definition: two lists of bytes, each change applied to both in its time. */
class PlainFile {
  cached: number[] = []
  durable: number[] = []
  changes: Change[] = []

  change(change: Change): void {
    apply(this.cached, change)
    this.changes.push(change)
  }

  sync(count: number): void {
    for (const change of this.changes.splice(0, count)) apply(this.durable, change)
  }

  failSync(count: number, draws: Draws): void {
    for (const change of this.changes.splice(0, count)) if (draws.below(2) === 0) apply(this.durable, change)
  }

  /** What is kept is drawn as `Inode` draws it: all lost, all kept, all up to a torn one, or each by itself. */
  cutPower(draws: Draws): void {
    const changes = this.changes.splice(0)
    const fate = changes.length === 0 ? 0 : draws.below(4)
    const end = fate === 2 ? draws.below(changes.length) : changes.length
    const tear = (change: Change): void => {
      if ('size' in change) return
      apply(this.durable, { ...change, bytes: change.bytes.slice(0, draws.below(change.bytes.length + 1)) })
    }
    for (const change of fate === 0 ? [] : changes.slice(0, end)) {
      const own = fate === 3 ? draws.below(3) : 1
      if (own === 1) apply(this.durable, change)
      else if (own === 2) tear(change)
    }
    const torn = changes[end]
    if (fate === 2 && torn !== undefined) tear(torn)
    this.cached = [...this.durable]
  }

  flipBit(at: number): void {
    for (const bytes of [this.cached, this.durable]) if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ 1
  }
}

function apply(bytes: number[], change: Change): void {
  const end =
    'size' in change ? change.size : change.bytes.length === 0 ? bytes.length : change.at + change.bytes.length
  while (bytes.length < end) bytes.push(0)
  if ('size' in change) bytes.length = change.size
  else for (const [at, byte] of change.bytes.entries()) bytes[change.at + at] = byte
}

const bytes = fc.array(fc.integer({ min: 1, max: 255 }), { maxLength: 6 })
const deed = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), at: fc.nat(20), bytes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate' as const), size: fc.nat(24) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sync' as const), less: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail sync' as const), less: fc.nat(2), seed: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut power' as const), seed: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flip' as const), at: fc.nat(20) }) },
)

describe('a file on a simulated disk', () => {
  it('has what a file has that keeps two copies of its bytes, whatever is synced, lost, torn or rotten', () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 24 }), (deeds) => {
        const inode = new Inode(1, { a: 1, b: 1 }, new Slab())
        const plain = new PlainFile()
        for (const one of deeds) {
          if (one.kind === 'write') {
            inode.write(one.at, new Uint8Array(one.bytes))
            plain.change({ at: one.at, bytes: one.bytes })
          } else if (one.kind === 'truncate') {
            inode.truncate(one.size)
            plain.change({ size: one.size })
          } else if (one.kind === 'flip') {
            inode.flipBit(one.at)
            plain.flipBit(one.at)
          } else if (one.kind === 'cut power') {
            inode.cutPower(() => drawsFrom(one.seed), 'any')
            plain.cutPower(drawsFrom(one.seed))
          } else {
            const less = Math.min(one.less, plain.changes.length)
            const [mark, count] = [inode.mark() - less, plain.changes.length - less]
            if (one.kind === 'sync') {
              inode.harden(mark)
              plain.sync(count)
            } else {
              inode.failSync(mark, drawsFrom(one.seed))
              plain.failSync(count, drawsFrom(one.seed))
            }
          }
          expect([...inode.read(0, inode.size)]).toEqual(plain.cached)
        }
        inode.cutPower(() => drawsFrom(0), 'any')
        plain.cutPower(drawsFrom(0))
        expect([...inode.read(0, inode.size)]).toEqual(plain.cached)
      }),
      { numRuns: 1_500 },
    )
  })
})
