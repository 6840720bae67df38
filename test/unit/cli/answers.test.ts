import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { readEntries, readKeys, readPeers, readStats } from '../../../src/cli/api/answers.ts'

describe('an answer to a command', () => {
  it('is refused, and does not end the command with a stack, when another program answers at the address', () => {
    for (const body of ['<html>hello</html>', '', '{', 'null', '"text"', '[1]', '{"Stats":1}', '{"Servers":[{}]}']) {
      for (const read of [readKeys, readEntries, readStats, readPeers]) expect(read(utf8(body)), body).toBeUndefined()
    }
  })

  it('is read when it is what was asked for', () => {
    expect(readKeys(utf8('["a","b/"]'))).toEqual(['a', 'b/'])
    expect(readStats(utf8('{"Stats":{"raft":{"term":"2"}},"Config":{}}'))).toEqual({ raft: { term: '2' } })
  })

  it('of thousands of entries is read whole: the bounds of requests are not for answers', () => {
    const entry = { CreateIndex: 1, ModifyIndex: 1, LockIndex: 0, Key: 'a', Flags: 0, Value: null }
    const body = JSON.stringify(Array.from({ length: 3_000 }, (_, at) => ({ ...entry, Key: `a/${at}` })))
    expect(readEntries(utf8(body))?.at(-1)).toMatchObject({ Key: 'a/2999' })
  })
})
