import { createSocket } from 'node:dgram'
import { createConnection } from 'node:net'
import dnsPacket, { type Answer, type DecodedPacket, type Packet, type SrvAnswer, type StringAnswer } from 'dns-packet'

export interface DnsServer {
  readonly host: string
  readonly port: number
}

export type QuestionType = 'A' | 'AAAA' | 'PTR' | 'SRV' | 'SOA'

const timeoutMs = 5_000

/** Asks one question, as `dig` does, over a real socket. */
export async function ask(
  at: DnsServer,
  name: string,
  type: QuestionType,
  transport: 'udp' | 'tcp' = 'udp',
): Promise<DecodedPacket> {
  const question: Packet = {
    type: 'query',
    id: 4711,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type, name, class: 'IN' }],
  }
  const answer = transport === 'udp' ? await overUdp(at, question) : await overTcp(at, question)
  if (answer.id !== question.id) throw new Error('the answer is to another question')
  return answer
}

function overUdp(at: DnsServer, question: Packet): Promise<DecodedPacket> {
  const socket = createSocket('udp4')
  let late: NodeJS.Timeout
  return new Promise<DecodedPacket>((resolve, reject) => {
    late = setTimeout(() => reject(new Error(`no answer from ${at.host}:${at.port}`)), timeoutMs)
    socket.on('error', reject)
    socket.on('message', (bytes) => resolve(dnsPacket.decode(bytes)))
    // Only a connected socket learns that no server listens there yet: otherwise the question waits for its whole
    // timeout.
    socket.connect(at.port, at.host, () => socket.send(dnsPacket.encode(question)))
  }).finally(() => {
    clearTimeout(late)
    socket.close()
  })
}

function overTcp(at: DnsServer, question: Packet): Promise<DecodedPacket> {
  const socket = createConnection(at.port, at.host)
  socket.setTimeout(timeoutMs)
  return new Promise<DecodedPacket>((resolve, reject) => {
    const pieces: Buffer[] = []
    socket.on('error', reject)
    socket.on('timeout', () => reject(new Error(`no answer from ${at.host}:${at.port}`)))
    socket.on('data', (bytes) => {
      pieces.push(bytes)
      const all = Buffer.concat(pieces)
      if (all.length >= 2 && all.length >= 2 + all.readUInt16BE()) resolve(dnsPacket.decode(all.subarray(2)))
    })
    socket.write(dnsPacket.streamEncode(question))
  }).finally(() => socket.destroy())
}

/** Addresses in the answer. */
export async function addresses(at: DnsServer, name: string, transport?: 'udp' | 'tcp'): Promise<readonly string[]> {
  const { answers } = await ask(at, name, 'A', transport)
  return addressAnswers(answers).map(({ data }) => data)
}

export interface ServiceRecord {
  readonly target: string
  readonly port: number
  /** Those of the target, in the additional section. */
  readonly addresses: readonly string[]
}

export async function serviceRecords(
  at: DnsServer,
  name: string,
  transport?: 'udp' | 'tcp',
): Promise<readonly ServiceRecord[]> {
  const { answers, additionals } = await ask(at, name, 'SRV', transport)
  const glue = addressAnswers(additionals)
  return serviceAnswers(answers).map(({ data }) => ({
    target: data.target,
    port: data.port ?? 0,
    addresses: glue.filter((record) => record.name === data.target).map((record) => record.data),
  }))
}

function addressAnswers(answers: readonly Answer[] | undefined): readonly StringAnswer[] {
  return (answers ?? []).filter((answer): answer is StringAnswer => answer.type === 'A')
}

function serviceAnswers(answers: readonly Answer[] | undefined): readonly SrvAnswer[] {
  return (answers ?? []).filter((answer): answer is SrvAnswer => answer.type === 'SRV')
}
