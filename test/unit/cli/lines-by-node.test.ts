import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { LinesByNode } from '../../../src/cli/output.ts'

describe('output of many nodes', () => {
  it('is whole lines, wherever its pieces are cut, and nodes do not mix', () => {
    const text = 'grün\n\n日本 😀\nrest'
    const bytes = utf8(text)
    for (let size = 1; size <= bytes.length; size++) {
      const lines = new LinesByNode()
      let out = ''
      for (let at = 0; at < bytes.length; at += size) {
        out += lines.push('a', bytes.subarray(at, at + size))
        expect(lines.push('b', utf8('-'))).toBe('')
      }
      expect(out).toBe('    a: grün\n    a: \n    a: 日本 😀\n')
      expect(lines.end('a')).toBe('    a: rest\n')
      expect(lines.endAll()).toBe(`    b: ${'-'.repeat(Math.ceil(bytes.length / size))}\n`)
    }
  })

  it('is not held back without end where no line ends, and then not cut within a character', () => {
    const lines = new LinesByNode()
    const line = `${'x'.repeat(65_536)}😀`
    expect(lines.push('a', utf8(line).subarray(0, -1))).toBe(`    a: ${'x'.repeat(65_536)}\n`)
    expect(lines.push('a', utf8('😀').subarray(3))).toBe('')
    expect(lines.endAll()).toBe('    a: 😀\n')
  })
})
