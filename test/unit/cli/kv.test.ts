import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { base64, utf8 } from '../../../src/base/bytes.ts'
import { CliWorld } from './cli-world.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-kv-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('svc kv put, get and delete', () => {
  it('write, read and remove a key', async () => {
    const world = await CliWorld.begun()
    expect(await world.run(['kv', 'put', 'a/b', 'value'])).toMatchObject({
      code: 0,
      out: 'Success! Data written to: a/b\n',
    })
    expect(await world.run(['kv', 'get', 'a/b'])).toMatchObject({ code: 0, out: 'value\n' })
    expect(await world.run(['kv', 'delete', 'a/b'])).toMatchObject({ code: 0, out: 'Success! Deleted key: a/b\n' })
    expect(await world.run(['kv', 'get', 'a/b'])).toMatchObject({ code: 1, error: 'Error! No key exists at: a/b\n' })
  })

  it('get writes a value byte for byte, though it is no text', async () => {
    const world = await CliWorld.begun()
    const value = Uint8Array.of(0x00, 0xff, 0xc3, 0x28, 0x0a)
    await world.run(['kv', 'put', '-base64', 'b/in', base64(value)])
    const written = async (...flags: readonly string[]) => {
      expect((await world.run(['kv', 'get', ...flags])).code).toBe(0)
      return [...world.terminal.bytes]
    }
    const told = (text: string): readonly number[] => [...utf8(text)]
    expect(await written('b/in')).toEqual([...value, 0x0a])
    expect(await written('-recurse', 'b')).toEqual([...told('b/in:'), ...value, 0x0a])
    expect((await written('-detailed', 'b/in')).slice(-value.length - 1)).toEqual([...value, 0x0a])
    expect(await written('-base64', 'b/in')).toEqual(told(`${base64(value)}\n`))
  })

  it('get, export and delete leave out a slash before a key; put refuses it', async () => {
    const world = await CliWorld.begun()
    await world.run(['kv', 'put', 'a/b', 'value'])
    expect(await world.run(['kv', 'put', '/a/b', 'other'])).toMatchObject({ code: 1, out: '' })
    expect(await world.run(['kv', 'get', '/a/b'])).toMatchObject({ code: 0, out: 'value\n' })
    expect(await world.run(['kv', 'get', '-recurse', '/a'])).toMatchObject({ code: 0, out: 'a/b:value\n' })
    expect(await world.run(['kv', 'get', '-keys', '/'])).toMatchObject({ code: 0, out: 'a/\n' })
    expect((await world.run(['kv', 'export', '/'])).out).toContain('"a/b"')
    expect(await world.run(['kv', 'delete', '/'])).toMatchObject({ code: 1, error: 'Error! Missing KEY argument\n' })
    const deleted = await world.run(['kv', 'delete', '-recurse', '/'])
    expect(deleted).toMatchObject({ code: 0, out: 'Success! Deleted keys with prefix: \n' })
    expect(deleted.error).toContain('the command deletes every key of the datacenter: 1.')
    expect((await world.run(['kv', 'get', 'a/b'])).code).toBe(1)
  })

  it('say what the agent says of a request that it does not serve', async () => {
    const world = await CliWorld.begun()
    const error = 'Error querying Svc agent: Unexpected response code: 500 (No path to datacenter)\n'
    for (const command of [
      ['get', 'a'],
      ['get', '-keys', 'a'],
      ['export', 'a'],
    ]) {
      expect(await world.run(['kv', command[0] as string, '-datacenter=nowhere', ...command.slice(1)])).toMatchObject({
        code: 1,
        error,
      })
    }
  })

  it('put takes its data from standard input and from a file, byte for byte', async () => {
    const world = await CliWorld.begun()
    const file = join(folder, 'data')
    writeFileSync(file, 'from a file\n')
    await world.run(['kv', 'put', 'a', '-'], 'from input\n')
    await world.run(['kv', 'put', 'b', `@${file}`])
    await world.run(['kv', 'put', '-base64', 'c', 'aGk='])
    await world.run(['kv', 'put', 'd'])
    expect([
      await world.textAt('a'),
      await world.textAt('b'),
      await world.textAt('c'),
      await world.textAt('d'),
    ]).toEqual(['from input\n', 'from a file\n', 'hi', ''])
    expect((await world.run(['kv', 'put', 'e', `@${join(folder, 'none')}`])).code).toBe(1)
  })

  it('put refuses data that is longer than an agent takes, and writes nothing of it', async () => {
    const world = await CliWorld.begun()
    const long = 'x'.repeat((1 << 20) + 1)
    const file = join(folder, 'long')
    writeFileSync(file, long)
    expect(await world.run(['kv', 'put', 'a', `@${file}`])).toEqual({
      code: 1,
      out: '',
      error: 'Error! Failed to read file: it has more than 1048576 bytes\n',
    })
    expect(await world.run(['kv', 'put', 'a', '-'], long)).toEqual({
      code: 1,
      out: '',
      error: 'Error! Standard input has more than 1048576 bytes\n',
    })
    // What is not data would be written without its end, too.
    writeFileSync(file, `aGk=${' '.repeat(1 << 21)}*`)
    expect((await world.run(['kv', 'put', '-base64', 'a', `@${file}`])).code).toBe(1)
    expect([world.asked, await world.textAt('a')]).toEqual([[], 'none'])
  })

  it('flags of 64 bits are shown digit for digit', async () => {
    const world = await CliWorld.begun()
    await world.run(['kv', 'put', '-flags=3304740253564472344', 'k', 'v'])
    expect((await world.run(['kv', 'get', '-detailed', 'k'])).out).toContain('Flags            3304740253564472344\n')
  })

  it('put with -acquire locks, and with -release gives up', async () => {
    const world = await CliWorld.begun()
    const [mine, other] = [await world.sessions.create(), await world.sessions.create()]
    const put = (...flags: readonly string[]) => world.run(['kv', 'put', ...flags, 'k', 'v'])
    const missing = { code: 1, error: 'Error! Missing -session (required with -acquire and -release)\n' }
    expect(await put('-acquire')).toMatchObject(missing)
    expect(await put('-release')).toMatchObject(missing)
    expect(await put('-acquire', `-session=${mine}`)).toMatchObject({ code: 0, out: 'Success! Lock acquired on: k\n' })
    expect(await put('-acquire', `-session=${other}`)).toMatchObject({
      code: 1,
      error: 'Error! Did not acquire lock\n',
    })
    expect(await put('-release', `-session=${other}`)).toMatchObject({
      code: 1,
      error: 'Error! Did not release lock\n',
    })
    const shown = await world.run(['kv', 'get', '-detailed', 'k'])
    expect(shown.out).toContain(`Session          ${mine}\n`)
    expect(shown.out).toContain('LockIndex        1\n')
    expect(await put('-release', `-session=${mine}`)).toMatchObject({ code: 0, out: 'Success! Lock released on: k\n' })
  })
})

describe('svc kv export and import', () => {
  it('write a tree as JSON, and take it in again with flags of 64 bits', async () => {
    const world = await CliWorld.begun()
    await world.run(['kv', 'put', '-flags=18446744073709551615', 't/a', 'one "1"'])
    await world.run(['kv', 'put', 't/ü'])
    await world.run(['kv', 'put', 'other', 'x'])
    const { code, out } = await world.run(['kv', 'export', 't/'])
    expect(code).toBe(0)
    expect(out).toBe(
      [
        '[',
        '\t{',
        '\t\t"key": "t/a",',
        '\t\t"flags": 18446744073709551615,',
        '\t\t"value": "b25lICIxIg=="',
        '\t},',
        '\t{',
        '\t\t"key": "t/ü",',
        '\t\t"flags": 0,',
        '\t\t"value": ""',
        '\t}',
        ']',
        '',
      ].join('\n'),
    )
    const fresh = await CliWorld.begun()
    expect(await fresh.run(['kv', 'import', '-'], out)).toMatchObject({
      code: 0,
      out: 'Imported: t/a\nImported: t/ü\n',
    })
    expect((await fresh.run(['kv', 'export'])).out).toBe(out)
  })

  it('import takes a literal and a file, and export of nothing is an empty list', async () => {
    const world = await CliWorld.begun()
    expect(await world.run(['kv', 'export', 'none'])).toMatchObject({ code: 0, out: '[]\n' })
    await world.run(['kv', 'import', '[{"key":"a","flags":1,"value":"eA=="}]'])
    const file = join(folder, 'tree.json')
    writeFileSync(file, '[{"key":"b","value":"eQ=="}]')
    await world.run(['kv', 'import', `@${file}`])
    expect([await world.textAt('a'), await world.textAt('b')]).toEqual(['x', 'y'])
  })

  it.each([
    ['{', 'Cannot unmarshal data: unexpected EOF\n'],
    ['{}', 'Cannot unmarshal data: not a list of entries\n'],
    ['[1]', 'Cannot unmarshal data: entry 1 is not an object\n'],
    ['[{"value":"eA=="}]', 'Cannot unmarshal data: entry 1 has no key\n'],
    ['[{"key":"a","flags":"x"}]', 'Cannot unmarshal data: the flags of a are not a number\n'],
    ['[{"key":"a","value":"*"}]', 'Error base 64 decoding value for key a\n'],
    ['[{"key":"a"},{"key":"b","value":"*"}]', 'Error base 64 decoding value for key b\n'],
    ['[{"key":"a"},{"key":"/b"}]', "Invalid key. Key must not begin with a '/': /b\n"],
    ...['b//c', 'b/../c', './b', 'b/..', '.', 'b//'].map((key) => [
      `[{"key":"a"},{"key":"${key}"}]`,
      `Invalid key. Key must have no segment '', '.' or '..': ${key}\n`,
    ]),
    ...['-1', '1.5', '18446744073709551616'].map((flags) => [
      `[{"key":"a"},{"key":"b","flags":${flags}}]`,
      'the flags of b are not an unsigned number of 64 bits\n',
    ]),
  ])('import refuses %s as a whole', async (data, error) => {
    const world = await CliWorld.begun()
    expect(await world.run(['kv', 'import', data])).toMatchObject({ code: 1, error })
    expect(await world.textAt('a')).toBe('none')
  })

  it('import refuses a value that is too large before it writes another', async () => {
    const world = await CliWorld.begun()
    const large = Buffer.alloc(524_289).toString('base64')
    expect(await world.run(['kv', 'import', `[{"key":"a"},{"key":"b","value":"${large}"}]`])).toMatchObject({
      code: 1,
      error: 'Value for key "b" is too large (524289 > 524288 bytes)\n',
    })
    expect(await world.textAt('a')).toBe('none')
  })

  it('import takes keys with dots, and ones that end with a slash', async () => {
    const world = await CliWorld.begun()
    const keys = ['.a', 'b./c..', '...', 'd/', 'e/.f']
    const data = JSON.stringify(keys.map((key) => ({ key, flags: 0, value: 'eA==' })))
    expect(await world.run(['kv', 'import', data])).toMatchObject({ code: 0 })
    expect(await Promise.all(keys.map((key) => world.textAt(key)))).toEqual(keys.map(() => 'x'))
    const most = '[{"key":"g","flags":18446744073709551615}]'
    expect(await world.run(['kv', 'import', most])).toMatchObject({ code: 0 })
  })
})
