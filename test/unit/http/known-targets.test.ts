import { describe, expect, it } from 'vitest'
import { KnownTargets } from '../../../src/http/target.ts'

function counting(): { readonly known: KnownTargets<string>; readonly asked: string[] } {
  const asked: string[] = []
  const known = new KnownTargets((target) => {
    asked.push(target)
    return target.toUpperCase()
  })
  return { known, asked }
}

describe('what targets mean', () => {
  it('is worked out once for those that come again', () => {
    const { known, asked } = counting()
    expect([known.of('/a'), known.of('/a'), known.of('/b')]).toEqual(['/A', '/A', '/B'])
    expect(asked).toEqual(['/a', '/b'])
  })

  it('is not remembered where a token may be in them, or where they are long', () => {
    const { known, asked } = counting()
    const targets = ['/a?token=secret', '/a?TOKEN=secret', '/a?%74oken=secret', `/${'x'.repeat(512)}`]
    for (const target of [...targets, ...targets]) known.of(target)
    expect(asked).toEqual([...targets, ...targets])
  })

  it('is remembered of no more than so many', () => {
    const { known, asked } = counting()
    for (let at = 0; at <= 1_024; at++) known.of(`/${at}`)
    known.of('/1024')
    expect(asked).toHaveLength(1_025)
    known.of('/0')
    expect(asked).toHaveLength(1_026)
  })
})
