import { describe, expect, it } from 'vitest'
import { watchesOf } from '../../../src/config/parts/watches.ts'

function read(watch: object) {
  const lines: string[] = []
  const watches = watchesOf([watch], (message) => lines.push(message))
  return lines.length > 0 ? lines : watches[0]?.handler
}

describe('watches of the configuration', () => {
  it.each([
    [
      { type: 'nodes', args: ['notify', '-x'] },
      { kind: 'script', argv: ['notify', '-x'] },
    ],
    [
      { type: 'nodes', handler: 'notify | log' },
      { kind: 'script', argv: ['/bin/sh', '-c', 'notify | log'] },
    ],
    [
      {
        type: 'key',
        key: 'a',
        handler_type: 'http',
        http_handler_config: { path: 'http://h:1/x', header: { 'X-A': ['1', '2'] }, timeout: '2s' },
      },
      {
        kind: 'http',
        url: 'http://h:1/x',
        method: 'POST',
        headers: [
          ['X-A', '1'],
          ['X-A', '2'],
        ],
        timeoutMs: 2_000,
        tlsSkipVerify: false,
      },
    ],
  ])('%j has its handler', (watch, handler) => {
    expect(read(watch)).toEqual(handler)
  })

  it.each([
    [{ type: 'nodes' }, 'Must define a watch handler'],
    [{ type: 'foo', args: ['x'] }, 'Failed to parse watch: Unsupported watch type: foo'],
    [{ args: ['x'] }, 'Failed to parse watch: Watch type must be specified'],
    [{ type: 'nodes', args: ['x'], handler: 'y' }, 'Only one watch handler allowed'],
    [{ type: 'nodes', handler_type: 'http' }, "Requires 'path' to be set to a URL in http_handler_config"],
    [
      { type: 'nodes', handler_type: 'http', http_handler_config: { path: 'http://h', timeout: 'soon' } },
      'http_handler_config.timeout "soon": not a duration',
    ],
    [{ type: 'nodes', args: ['x'], http_handler_config: {} }, "http_handler_config needs handler_type 'http'"],
  ])('%j is refused', (watch, why) => {
    expect(read(watch)).toEqual([`watches[0]: ${why}`])
  })

  it('are bounded in number', () => {
    const lines: string[] = []
    watchesOf(Array(1_025).fill({ type: 'nodes', args: ['x'] }), (message) => lines.push(message))
    expect(lines).toEqual(['watches: 1025 are more than 1024'])
  })
})
