import { describe, expect, it } from 'vitest'
import { bytesOf, utf8 } from '../../../src/base/bytes.ts'
import { sniffContentType } from '../../../src/http/content-type.ts'

const text = 'text/plain; charset=utf-8'
const html = 'text/html; charset=utf-8'
const binary = 'application/octet-stream'

describe('the sniffed content type', () => {
  it.each([
    ['hello', text],
    ['', text],
    ['{"a":1}', text],
    ['tab\tline\n\x1b[0mcolour\f\r', text],
    ['a\x00b', binary],
    ['a\x0bb', binary],
    ['a\x1fb', binary],
    ['  \n<!doctype html>', html],
    ['<html>', html],
    ['<P >', html],
    ['<a href="x">', html],
    ['<!-- x', html],
    ['<html', text],
    ['<abbr>', text],
    ['<h2>', text],
    ['x <html>', text],
    ['\t<?xml version="1.0"?>', 'text/xml; charset=utf-8'],
    ['<axml', text],
    ['%PDF-1.4', 'application/pdf'],
    ['%!PS-Adobe-3', 'application/postscript'],
    ['\xfe\xff\x00a', 'text/plain; charset=utf-16be'],
    ['\xff\xfea\x00', 'text/plain; charset=utf-16le'],
    ['\xef\xbb\xbfa', text],
    ['GIF87a..', 'image/gif'],
    ['GIF89a..', 'image/gif'],
    ['\x89PNG\r\n\x1a\nrest', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['BM12', 'image/bmp'],
    ['RIFF\x01\x02\x03\x04WEBPVP8', 'image/webp'],
    ['RIFF\x01\x02\x03\x04WAVE', 'audio/wave'],
    ['RIFF\x01\x02\x03\x04AVI ', 'video/avi'],
    ['RIFF\x01\x02\x03\x04ELSE', binary],
    ['\x00\x00\x01\x00', 'image/vnd.microsoft.icon'],
    ['OggS\x00', 'application/ogg'],
    ['\x1a\x45\xdf\xa3', 'video/webm'],
    ['Rar \x1a\x07\x00', 'application/x-rar-compressed'],
    ['PK\x03\x04', 'application/zip'],
    ['\x1f\x8b\x08', 'application/x-gzip'],
    ['\x00\x00\x00\x14ftypisom\x00\x00\x02\x00mp41', 'video/mp4'],
    ['\x00\x00\x00\x14ftypisom\x00\x00\x02\x00avc1', binary],
    ['\x00\x00\x00\xf0ftypmp42', binary],
  ])('of %j is %s', (bytes, type) => {
    expect(sniffContentType(bytesOf(bytes))).toBe(type)
  })

  it('looks at UTF-8 as text, and at the first 512 bytes only', () => {
    expect(sniffContentType(utf8('ümläut 日本'))).toBe(text)
    expect(sniffContentType(bytesOf(`${'a'.repeat(512)}\x00`))).toBe(text)
    expect(sniffContentType(bytesOf(`${'a'.repeat(511)}\x00`))).toBe(binary)
  })

  it('reads bytes that lie within a larger buffer', () => {
    const outer = bytesOf('xxxx\x00\x00\x00\x14ftypisom\x00\x00\x02\x00mp41')
    expect(sniffContentType(outer.subarray(4))).toBe('video/mp4')
  })
})
