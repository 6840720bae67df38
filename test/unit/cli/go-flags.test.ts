import { describe, expect, it } from 'vitest'
import type { CommandFlag } from '../../../src/cli/command.ts'
import { asksForHelp, flagBehindOperands, rewriteGoFlags } from '../../../src/cli/flags/go-flags.ts'
import { formatTable } from '../../../src/cli/output.ts'
import { fc } from '../../fast-check.ts'

const flags = [
  { name: 'dev', kind: 'bool', help: '' },
  { name: 'bind', kind: 'text', help: '' },
  { name: 'join', kind: 'list', help: '' },
] as const

describe('a flag behind operands', () => {
  it.each([
    [['a', '-bind=x'], 'bind'],
    [['-dev', 'a', '--dev'], 'dev'],
    [['a', '-5', '-other'], undefined],
    [['-bind', '-dev', 'a'], undefined],
    [['--', 'a', '-dev'], undefined],
    [['a', '--', '-dev'], undefined],
  ])('of %j is %s', (argv, name) => {
    expect(flagBehindOperands(argv, flags)).toBe(name)
  })
})

describe('flags in the style of Go', () => {
  it('mean the same with one dash or two, and with the value behind = or as the next argument', () => {
    const written = fc.record({ dashes: fc.constantFrom('-', '--'), apart: fc.boolean(), value: fc.string() })
    fc.assert(
      fc.property(fc.array(written), fc.constantFrom('bind', 'join'), (all, name) => {
        const argv = all.flatMap(({ dashes, apart, value }) =>
          apart ? [`${dashes}${name}`, value] : [`${dashes}${name}=${value}`],
        )
        expect(rewriteGoFlags(argv, flags)).toEqual({ ok: true, value: all.map(({ value }) => `--${name}=${value}`) })
      }),
    )
  })

  it('end at the first operand, whatever follows', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.startsWith('-')),
        fc.array(fc.string()),
        (operand, rest) => {
          expect(rewriteGoFlags(['-dev', operand, ...rest], flags)).toEqual({
            ok: true,
            value: ['--dev', '--', operand, ...rest],
          })
        },
      ),
    )
  })

  it.each([
    [['-dev=false'], ['--no-dev']],
    [
      ['-dev=T', '-bind', '-1'],
      ['--dev', '--bind=-1'],
    ],
    [['-'], ['--', '-']],
    [
      ['-dev', '--', '-bind'],
      ['--dev', '--', '-bind'],
    ],
  ])('rewrites %j', (argv, expected) => {
    expect(rewriteGoFlags(argv, flags)).toEqual({ ok: true, value: expected })
  })

  it.each([
    [['-nope'], 'flag provided but not defined: -nope'],
    [['-jion=x'], 'flag provided but not defined: -jion: did you mean -join?'],
    [['-bind'], 'flag needs an argument: -bind'],
    [['-dev=maybe'], 'invalid boolean value "maybe" for -dev: parse error'],
  ])('refuses %j', (argv, error) => {
    expect(rewriteGoFlags(argv, flags)).toEqual({ ok: false, error })
  })
})

describe('a table', () => {
  it('has columns as wide as their widest cell, but for the last', () => {
    expect(
      formatTable([
        ['Node', 'ID'],
        ['a-long-name', 'x'],
      ]),
    ).toBe('Node         ID\na-long-name  x\n')
  })
})

describe('flags that earlier releases took', () => {
  const flags = [
    { name: 'release', kind: 'text', help: '' },
    { name: 'datacenter', kind: 'text', help: '' },
    { name: 'retry-join', kind: 'list', help: '' },
    { name: 'server', kind: 'bool', help: '' },
  ] as const

  it('are taken where the agent is to run as one of these, and mean what took their place', () => {
    const argv = ['-release=0.9.3', '-dc', 'east', '-retry-join-ec2-tag-key=role', '-atlas-join', '-server']
    const cloud = ['-retry-join-ec2-tag-value', 'a b', '-atlas=x']
    expect(rewriteGoFlags([...argv, ...cloud], flags)).toEqual({
      ok: true,
      value: [
        '--release=0.9.3',
        '--datacenter=east',
        '--server',
        '--retry-join=provider=aws tag_key=role tag_value="a b"',
      ],
    })
  })

  it.each([['-release=1.0.0'], ['-release', '1.4.0'], []])('are refused with %s', (...release) => {
    const line = 'flag provided but not defined: -dc (removed in 1.0, use -datacenter)'
    expect(rewriteGoFlags(['-dc=east', ...release], flags)).toEqual({ ok: false, error: line })
  })

  it('are refused by a command that has a release and none of the flags that took their place', () => {
    const line = 'flag provided but not defined: -dc (removed in 1.0, use -datacenter)'
    const validate = [{ name: 'release', kind: 'text', help: '' }] as const
    expect(rewriteGoFlags(['-release=0.9.3', '-dc=east'], validate)).toEqual({ ok: false, error: line })
  })
})

describe('the page of a command', () => {
  const flags: readonly CommandFlag[] = [
    { name: 'dev', kind: 'bool', help: '' },
    { name: 'bind', kind: 'text', help: '' },
  ]

  it.each([
    [['-h'], true],
    [['-dev', '-bind', '10.0.0.1', '-help'], true],
    [['-bind=x', '--help', 'operand'], true],
    [['-bind', '-h'], false],
    [['operand', '-h'], false],
    [['--', '-h'], false],
    [['-dev'], false],
  ])('is asked for by %j: %s', (argv, asked) => {
    expect(asksForHelp(argv, flags)).toBe(asked)
  })
})
