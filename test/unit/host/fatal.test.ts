import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InvariantViolation, invariant } from '../../../src/base/invariant.ts'
import { fatalLine } from '../../../src/host/fatal.ts'

describe('the last line of a process', () => {
  it('names the error, its values and the place in our own code that it came from', () => {
    let caught: unknown
    try {
      invariant(false, 'two leaders', { term: 3 })
    } catch (cause) {
      caught = cause
    }
    expect(caught).toBeInstanceOf(InvariantViolation)
    expect(fatalLine('svc', caught)).toMatch(
      /^svc: fatal: InvariantViolation: two leaders \(term=3\) at fatal\.test\.ts:\d+$/,
    )
  })

  it('is one line, whatever the error holds', () => {
    const cause = new RangeError('first\nsecond\r\n  third')
    cause.stack = 'RangeError: first\nsecond\n    at node:internal/x:1:2\n    at run (/a/node_modules/b/c.js:3:4)'
    expect(fatalLine('svc', cause)).toBe('svc: fatal: RangeError: first second third')
    expect(fatalLine('svc', 'a\nstring')).toBe('svc: fatal: a string')
    expect(fatalLine('svc', undefined)).toBe('svc: fatal: undefined')
  })

  it('names the source where a map lies beside the file, and passes over what is not our own by the map', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-fatal-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const bundle = join(folder, 'svc.js')
    const sources = ['../node_modules/package/index.js', '../src/base/invariant.ts', '../src/raft/core/step.ts']
    // Line 1 is line 1 of the first source, line 2 line 3 of the second, line 3 line 7 of the third.
    writeFileSync(`${bundle}.map`, JSON.stringify({ version: 3, sources, names: [], mappings: 'AAAA;ACEA;ACIA' }))
    const at = (line: number): string => `    at run (${pathToFileURL(bundle)}:${line}:5)`
    const cause = new InvariantViolation('no log', {})
    cause.stack = ['InvariantViolation: no log', at(1), at(2), at(3)].join('\n')
    expect(fatalLine('svc', cause)).toMatch(/ at step\.ts:7$/)
  })

  it('names the function where a bundle has no map, as in an installed package, and passes over the invariant itself', () => {
    const cause = new InvariantViolation('no log', {})
    cause.stack = [
      'InvariantViolation: no log',
      '    at invariant (dist/bundle/parts/without-a-map.cjs:12:9)',
      '    at SegmentedLog.read (dist/bundle/parts/without-a-map.cjs:3456:5)',
    ].join('\n')
    expect(fatalLine('svc', cause)).toBe(
      'svc: fatal: InvariantViolation: no log at SegmentedLog.read (without-a-map.cjs:3456)',
    )
  })

  it.each(['{"version":3,', '{}', 'null'])('names the place as it was compiled where the map is %j', (map) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-fatal-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const bundle = join(folder, 'svc.js')
    writeFileSync(`${bundle}.map`, map)
    const cause = new RangeError('too deep')
    cause.stack = `RangeError: too deep\n    at run (${pathToFileURL(bundle)}:3:5)`
    expect(fatalLine('svc', cause)).toBe('svc: fatal: RangeError: too deep at svc.js:3')
  })
})
