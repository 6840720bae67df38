import { describe, expect, it } from 'vitest'
import { typedLine } from '../../../sim/page/play/typed-line.ts'
import { linkIn, searchOf } from '../../../sim/page/tab/link.ts'

describe('the address of a tab', () => {
  it.each([
    ['?run=crash-and-recover&seed=17', { does: 'run', scenario: 'crash-and-recover', seed: 17 }],
    ['?play=ca-rotation&steps=4000', { does: 'play', scenario: 'ca-rotation', steps: 4000 }],
    ['?play&servers=5&clients=0', { does: 'play', scenario: undefined, servers: 5, clients: 0 }],
    ['?run=a&seed=-1&steps=1e3', { does: 'run', scenario: 'a', seed: undefined, steps: undefined }],
  ])('%s says what to begin, and is written as it is read', (search, link) => {
    const read = linkIn(search)
    expect(read).toMatchObject(link)
    expect(read && linkIn(searchOf(read))).toEqual(read)
  })

  it('without run or play asks for nothing', () => {
    expect(linkIn('')).toBeUndefined()
    expect(linkIn('?seed=3')).toBeUndefined()
  })
})

describe('a line of the terminal', () => {
  it.each([
    ['svc kv put color "light blue"', { kind: 'command', args: ['kv', 'put', 'color', 'light blue'] }],
    ['members', { kind: 'command', args: ['members'] }],
    ['GET /v1/kv/color?raw', { kind: 'request', method: 'GET', target: '/v1/kv/color?raw', body: '' }],
    ['PUT /v1/kv/color  light blue ', { kind: 'request', method: 'PUT', target: '/v1/kv/color', body: 'light blue' }],
    ['GET away', { kind: 'command', args: ['GET', 'away'] }],
  ])('%s', (line, typed) => {
    expect(typedLine(line)).toEqual(typed)
  })
})
