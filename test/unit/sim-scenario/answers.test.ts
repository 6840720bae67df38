import { describe, expect, it } from 'vitest'
import { Template } from '../../../sim/notation/fields.ts'
import { type Answer, answerWith, judgeAnswer, matches, partOf } from '../../../sim/scenario/answers.ts'

function told(body: string): Answer {
  return answerWith(200, new TextEncoder().encode(body), new Map([['x-svc-index', '42']]))
}

const answer = told('true\n')
const asIs = (template: Template): string => template.text

describe('what is expected of an answer', () => {
  it('is compared whole, or by a pattern', () => {
    expect(matches('true', 'true\n')).toBe(true)
    expect(matches('tru', 'true')).toBe(false)
    expect(matches('/No cluster \\w+/', 'rpc error: No cluster leader')).toBe(true)
    expect(matches('/^leader/', 'No cluster leader')).toBe(false)
  })

  it('is met, or it is said what came instead', () => {
    const body = new Template('true')
    expect(judgeAnswer({ status: 200, body, headers: { 'X-Svc-Index': new Template('/^\\d+$/') } }, answer, asIs)).toBe(
      undefined,
    )
    expect(judgeAnswer({ status: 404 }, answer, asIs)).toBe("status 200, body 'true'")
    expect(judgeAnswer({ body: new Template('false') }, answer, asIs)).toBe("body 'true'")
    expect(judgeAnswer({ headers: { 'X-Other': body } }, answer, asIs)).toBe('no header X-Other')
    expect(judgeAnswer({ headers: { 'X-Svc-Index': new Template('1') } }, answer, asIs)).toBe(
      "header X-Svc-Index: '42'",
    )
  })
})

describe('a saved answer', () => {
  it('has parts that later steps use', () => {
    expect([partOf(answer, 'status'), partOf(answer, 'body'), partOf(answer, 'index')]).toEqual(['200', 'true\n', '42'])
    expect(partOf(answer, 'X-Svc-Index')).toBe('42')
    expect(partOf(answer, 'nothing')).toBe(undefined)
  })

  it('and by members of their JSON, of texts without their quotes', () => {
    const json = told('[{"ID": "x y", "Tags": ["a"]}]')
    expect([partOf(json, 'body.0.ID'), partOf(json, 'body.0.Tags'), partOf(json, 'body.0.Tags.0')]).toEqual([
      'x y',
      '["a"]',
      'a',
    ])
    expect([partOf(json, 'body.1'), partOf(json, 'body.0.ID.length'), partOf(json, 'body.constructor')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(partOf(answer, 'body.ID')).toBe(undefined)
    expect(partOf(told('no json'), 'body.ID')).toBe(undefined)
  })

  it('is named in a text, alone or with its part', () => {
    const template = new Template('/v1/kv/a?index=${first.index}&cas=${first.index}')
    expect(template.names()).toEqual(['first', 'first'])
    expect(template.filled((reference) => `<${reference}>`)).toBe('/v1/kv/a?index=<first.index>&cas=<first.index>')
  })
})
