import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Asker, type Question, type Said, sortedLines, type Unsaid, withoutTime } from './asked.ts'

export const digIsThere = spawnSync('dig', ['-v']).error === undefined

/** Asks with dig, with one process where it can be: in a batch it takes neither `+tcp` nor, for ANY, `+notcp`. */
export function digAsker(host: string, port: number): Asker {
  return async (questions) => {
    const byUdp = questions.filter(isPlain)
    const answers = new Map<Question, Said | Unsaid>()
    for (const [at, output] of (await batchOf(byUdp.map((each) => lineOf(host, port, each)))).entries()) {
      answers.set(byUdp[at] as Question, saidBy(output))
    }
    for (const question of questions.filter((each) => !isPlain(each))) {
      answers.set(question, saidBy(await outputOf(lineOf(host, port, question).split(' '))))
    }
    return questions.map((question) => answers.get(question) as Said | Unsaid)
  }
}

function isPlain({ tcp, type }: Question): boolean {
  return tcp !== true && type !== 'ANY'
}

async function batchOf(lines: readonly string[]): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-dig-'))
  try {
    const batch = join(directory, 'questions')
    await writeFile(batch, lines.map((line) => `${line}\n`).join(''))
    const pieces = (await outputOf(['-f', batch])).split('; <<>> DiG').slice(1)
    if (pieces.length !== lines.length) throw new Error(`dig answered ${pieces.length} of ${lines.length}`)
    return pieces
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function lineOf(host: string, port: number, question: Question): string {
  const { name, type = 'A', class: ofClass = 'IN', edns, subnet } = question
  const options = [
    // Some types make dig choose TCP by itself.
    question.tcp === true ? ['+tcp'] : ['+notcp'],
    edns === undefined ? ['+noedns'] : [`+bufsize=${edns}`, '+nocookie'],
    subnet === undefined ? [] : [`+subnet=${subnet}`],
    question.rd === false ? ['+norecurse'] : [],
    question.opcode === undefined ? [] : [`+opcode=${question.opcode}`],
  ]
  // TC would make it ask again.
  return [`@${host}`, '-p', port, '+tries=1', '+time=10', '+ignore', ...options.flat(), '-q', name, type, ofClass].join(
    ' ',
  )
}

function outputOf(args: readonly string[]): Promise<string> {
  const child = spawn('dig', args)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(out))
  })
}

function saidBy(output: string): Said | Unsaid {
  const status = /status: (\w+)/.exec(output)?.[1]
  const flags = /^;; flags: ([a-z ]*);/m.exec(output)?.[1]
  if (status === undefined || flags === undefined) return 'no answer'
  const udp = /^; EDNS: version: 0, flags:[a-z ]*; (udp: \d+)/m.exec(output)?.[1]
  const network = /^; CLIENT-SUBNET: (\S+)/m.exec(output)?.[1]
  return {
    head: `${status} ${flags}`,
    answers: sortedLines(section(output, 'ANSWER')),
    authorities: sortedLines(section(output, 'AUTHORITY')),
    additionals: sortedLines(section(output, 'ADDITIONAL')),
    order: section(output, 'ANSWER'),
    bytes: Number(/MSG SIZE {2}rcvd: (\d+)/.exec(output)?.[1]),
    edns: udp === undefined ? undefined : [udp, network].filter((part) => part !== undefined).join(' '),
  }
}

function section(output: string, title: string): readonly string[] {
  const start = output.indexOf(`;; ${title} SECTION:\n`)
  if (start < 0) return []
  const [, ...lines] = (output.slice(start).split('\n\n')[0] ?? '').split('\n')
  return lines.filter((line) => line !== '').map(recordOf)
}

/** `name ttl IN TYPE data`, without the class. */
function recordOf(line: string): string {
  return withoutTime(
    line
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^(\S+ \d+) IN /, '$1 '),
  )
}
