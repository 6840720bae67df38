import { describe, expect, it } from 'vitest'
import { byteString } from '../../../src/base/bytes.ts'
import { cleanPath, encodeTarget, isPrintable, parseTarget } from '../../../src/http/target.ts'

const parsed = (target: string) => {
  const result = parseTarget(target)
  return result.ok ? result.value : result.error
}

describe('a request target', () => {
  it('is split at the first question mark and its path decoded once', () => {
    expect(parsed('/v1/kv/a%2Fb%20c?x=%2F?y')).toEqual({ path: '/v1/kv/a/b c', rawQuery: 'x=%2F?y' })
    expect(parsed('/v1/kv/a%252Fb')).toEqual({ path: '/v1/kv/a%2Fb', rawQuery: '' })
    expect(parsed('/a+b%3Fc')).toEqual({ path: '/a+b?c', rawQuery: '' })
  })

  it('keeps bytes as bytes, whether or not they are UTF-8', () => {
    expect(parsed('/%C3%BC%ff')).toEqual({ path: `/${byteString('ü')}\xff`, rawQuery: '' })
  })

  it('may carry scheme and authority', () => {
    expect(parsed('http://127.0.0.1:8500/v1/status/leader?x')).toEqual({ path: '/v1/status/leader', rawQuery: 'x' })
    expect(parsed('HTTPS://host')).toEqual({ path: '/', rawQuery: '' })
    expect(parsed('http://host?x')).toEqual({ path: '/', rawQuery: 'x' })
  })

  it.each(['', '*', 'v1/kv/a', 'ftp://host/a', '?x'])('is refused where it is not a path: %j', (target) => {
    expect(parsed(target)).toBe('Request target must begin with /')
  })

  it.each(['/%', '/%2', '/%zz', '/a%2gb', '/%%41'])('is refused with malformed percent-encoding: %j', (target) => {
    expect(parsed(target)).toBe('Malformed percent-encoding in path')
  })

  it('is refused when it holds characters that no byte can be', () => {
    expect(parsed('/v1/kv/\u20ac')).toBe('Request target is not made of bytes')
  })
})

describe('a path', () => {
  it.each([
    ['/v1/kv//a', '/v1/kv/a'],
    ['//', '/'],
    ['/v1/./kv/a', '/v1/kv/a'],
    ['/v1/x/../kv/a/', '/v1/kv/a/'],
    ['/v1/kv/a/..', '/v1/kv'],
    ['/v1/kv/a/.', '/v1/kv/a'],
    ['/../../v1', '/v1'],
    ['/..', '/'],
  ])('%j is cleaned to %j', (path, clean) => {
    expect(cleanPath(path)).toBe(clean)
  })

  it.each(['/', '/v1/kv/a', '/v1/kv/a/', '/v1/kv/.hidden', '/v1/kv/..a', '/v1/kv/a..', '/v1/kv/...'])(
    '%j is clean already',
    (path) => {
      expect(cleanPath(path)).toBe(path)
    },
  )

  it('is encoded again for a Location, byte by byte', () => {
    expect(encodeTarget(`/v1/kv/a b?#%"<${byteString('ü')}`, 'raw&x=%20 \xff')).toBe(
      '/v1/kv/a%20b%3F%23%25%22%3C%C3%BC?raw&x=%20%20%FF',
    )
    expect(encodeTarget('/v1/kv/a+b&c=d:e@f;g,h$', '')).toBe('/v1/kv/a+b&c=d:e@f;g,h$')
  })
})

describe('printable characters', () => {
  it.each(['/v1/kv/a b', '/~', byteString('/ümläut/日本/🙂'), '/\xff\xfe', byteString('/\u0378')])(
    '%j can be seen',
    (path) => {
      expect(isPrintable(path)).toBe(true)
    },
  )

  it.each([
    '/\x00',
    '/a\x01',
    '/a\n',
    '/a\t',
    '/\x7f',
    ...['\u0085', '\u00a0', '\u00ad', '\u200b', '\u2028', '\u3000', '\ue000', '\ufeff', '\ufffe', '\u{e0041}'].map(
      (char) => byteString(`/${char}`),
    ),
  ])('%j cannot be seen', (path) => {
    expect(isPrintable(path)).toBe(false)
  })
})
