import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Checker, checker } from '../../../sim/checkers/checker.ts'
import { checkers, invariants } from '../../../sim/checkers/checkers.ts'
import { evidenceKinds } from '../../../sim/checkers/evidence.ts'
import { Invariants } from '../../../sim/checkers/invariants.ts'
import { anchorsOf } from '../../tools/page-anchors.ts'
import { projectRoot } from '../../tools/planted.ts'

describe('the list of checkers', () => {
  it('declares each code once', () => {
    const codes = checkers.flatMap((each) => Object.keys(each.codes))
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([])
    expect(new Set(codes)).toEqual(new Set(Object.keys(invariants)))
  })

  it('says of each code what one fact of it is, and of each excuse until when it holds', () => {
    for (const [code, { judges, of, excuses = {} }] of Object.entries(invariants)) {
      for (const unit of [judges, ...(of === undefined ? [] : [of])]) {
        expect(unit, code).toHaveLength(2)
        expect(unit[0], code).not.toBe(unit[1])
      }
      // What it lets pass stands before the semicolon, its end behind.
      for (const text of Object.values(excuses)) expect(text, code).toMatch(/^[^;]+; [^;]+$/)
    }
  })

  it('names for each code the evidence of it, and each kind of evidence is that of some code', () => {
    for (const [code, { evidence }] of Object.entries(invariants)) {
      expect(evidence, code).not.toHaveLength(0)
      expect(new Set(evidence).size, code).toBe(evidence.length)
    }
    const named = new Set(Object.values(invariants).flatMap(({ evidence }) => [...evidence]))
    expect(named).toEqual(new Set(Object.keys(evidenceKinds)))
  })

  it('names sources that are there', () => {
    const dangling = Object.entries(invariants).flatMap(([code, { sources }]) => {
      expect(sources, code).not.toEqual([])
      return sources
        .filter((source) => source.startsWith('docs/') && !isThere(source))
        .map((each) => `${code}: ${each}`)
    })
    expect(dangling).toEqual([])
  })
})

function isThere(source: string): boolean {
  const [page = '', anchor] = source.split('#')
  const file = join(projectRoot, page)
  return existsSync(file) && (anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).has(anchor))
}

describe('a fact', () => {
  const run = () => new Invariants({ nowUs: () => 7, staleDefaultMs: 0, onTrigger: () => {} })

  it('is told to a checker as it takes it, and only that', () => {
    const told: string[] = []
    const one: Checker<string[]> = checker({
      codes: {},
      make: () => told,
      takes: { 'process died': (it, { node }) => void it.push(node) },
    })
    expect(one.takes).toEqual(['process died'])
    one.taker('process died').take(told, { node: 's1' })
    one.taker('process paused').take(told, { node: 's2' })
    expect(told).toEqual(['s1'])
  })

  it.each(['http: a route threw', 'agent: a command that no server could read is not proposed'])(
    'sees a request that a fault of the program ended: %s',
    (what) => {
      const one = run()
      one.tell('process told', { node: 's1', what: 'http: request failed' })
      expect(one.violations).toEqual([])
      one.tell('process told', { node: 's1', what })
      expect(one.violations.map(({ code }) => code)).toEqual(['P2'])
    },
  )

  it('of an end excuses it only where the process names a file of which an operation failed, or had no space', () => {
    const ends = (said: string): readonly string[] => {
      const one = run()
      one.tell('disk operation failed', { node: 's1', operation: 'sync', path: '/data/before' })
      one.tell('process began', { node: 's1', boot: 2, id: 's1' })
      one.tell('disk operation failed', { node: 's1', operation: 'sync', path: '/data/log' })
      one.tell('disk found full', { node: 's1', path: '/data/local' })
      one.tell('process stopped by its disk', { node: 's1', said })
      one.tell('process did not start', { node: 's1', said, kind: 'io', isDamaged: false })
      return one.violations.map((violation) => violation.message)
    }
    expect(ends('raft log: /data/log: sync: input/output error')).toEqual([])
    expect(ends('cannot write /data/local')).toEqual([])
    for (const said of ['/data/before: sync', 'no space', '/data/log/1: sync', '/data/log.tmp: sync', '/data/logs']) {
      expect(ends(said)).toEqual([
        `s1 stops and names no file of which an operation failed: ${said}`,
        `s1 does not start and names no file of which an operation failed: ${said}`,
      ])
    }
  })

  it('comes to the one instance that a run has of a checker', () => {
    const [one, other] = [run(), run()]
    one.tell('start failed', { node: 's1', message: 'no room' })
    expect(one.violations).toEqual([{ code: 'P1', message: 's1 does not start: no room', atUs: 7 }])
    expect(other.violations).toEqual([])
    for (const each of checkers) expect(one.of(each)).toBe(one.of(each))
  })
})
