import { lowerAscii } from '../base/letter-case.ts'
import type { DnsRecord } from './message.ts'

/**
 * The additional records without which the services of an answer cannot be reached: for each target the first record of
 * that name, and if that is an alias, its target. Reference: dns.md#fact-77.
 */
export function glueOf(answers: readonly DnsRecord[], additionals: readonly DnsRecord[]): readonly DnsRecord[] {
  if (additionals.length === 0) return additionals
  const firsts = new Map<string, DnsRecord>()
  for (const record of additionals) {
    const name = lowerAscii(record.name)
    if (!firsts.has(name)) firsts.set(name, record)
  }
  const glue: DnsRecord[] = []
  for (const answer of answers) {
    let target = answer.type === 'SRV' ? lowerAscii(answer.target) : undefined
    while (target !== undefined) {
      const record = firsts.get(target)
      // Each once, which also ends a circle of aliases.
      firsts.delete(target)
      if (record !== undefined) glue.push(record)
      target = record?.type === 'CNAME' ? lowerAscii(record.target) : undefined
    }
  }
  return glue
}
