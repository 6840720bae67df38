import { describe, expect, it } from 'vitest'
import { normalize } from '../../../src/config/normalize.ts'

const machine = { hostName: 'a', architecture: 'x64', operatingSystem: 'linux', cpuCount: 1, interfaces: () => [] }

function warnings(expected: number): readonly string[] {
  const file = { server: true, bootstrap_expect: expected, bind_addr: '10.0.0.1', data_dir: '/data' }
  const normalized = normalize(file, false, machine)
  if (!normalized.ok) throw new Error(JSON.stringify(normalized.error))
  return normalized.value.warnings
}

describe('the number of servers that are expected', () => {
  it.each([
    [1, 'the same as Bootstrap mode'],
    [2, 'no failure tolerance'],
    [4, 'even number of servers'],
    [9, 'larger than recommended'],
  ])('[AGT-004] [LIM-001] is warned of when it is %i', (expected, text) => {
    expect(warnings(expected).join('\n')).toContain(text)
  })

  it.each([3, 5])('is as recommended when it is %i', (expected) => {
    expect(warnings(expected)).toEqual([`bootstrap_expect > 0: expecting ${expected} servers`])
  })
})
