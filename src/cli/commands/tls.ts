import { defaultDomain } from '../../model/naming/names.ts'
import { failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand, CommandFlag, FlagValue, Invocation } from '../command.ts'
import {
  defaultAuthorityFile,
  defaultAuthorityKeyFile,
  type Pair,
  readPair,
  writePair,
} from '../files/certificate-files.ts'

const domainFlag: CommandFlag = {
  name: 'domain',
  kind: 'text',
  value: '<domain>',
  help: 'The domain of the cluster, the same as in its configuration. Default: svc.',
}

function daysFlag(days: number): CommandFlag {
  return {
    name: 'days',
    kind: 'integer',
    value: '<days>',
    help: `Number of days for which the certificate is valid. Default: ${days}.`,
  }
}

const authorityDays = 1_825
const leafDays = 365
/** Maximum number of certificates of one role and datacenter in a directory. */
const pairsMax = 10_000

export const tlsAuthorityCommand: CliCommand = {
  path: ['tls', 'ca', 'create'],
  summary: 'Creates a certificate authority for the agents of a cluster',
  operands: '',
  about: 'Writes its certificate, for ca_file of every agent, and its private key: keep the key where no agent runs.',
  flags: [
    daysFlag(authorityDays),
    domainFlag,
    { name: 'name-constraint', kind: 'bool', help: 'Let the authority sign only names in the domain, and localhost.' },
    {
      name: 'additional-name-constraint',
      kind: 'list',
      value: '<domain>',
      help: 'With -name-constraint: the authority may also sign names in this domain. May be repeated.',
    },
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { env, flags, terminal } = invocation
    const domain = textFlag(flags, 'domain', defaultDomain(invocation.naming))
    const more = listFlag(flags, 'additional-name-constraint')
    const constrained = flags.get('name-constraint') === true
    if (more.length > 0 && !constrained) {
      return misused(invocation, '-additional-name-constraint goes with -name-constraint')
    }
    const { makeAuthority } = await import('../files/certificates.ts')
    const made = makeAuthority(env, {
      title: invocation.naming.title,
      days: numberFlag(flags, 'days', authorityDays),
      domain,
      permittedDomains: constrained ? [domain, 'localhost', ...more] : undefined,
    })
    if (!made.ok) return misused(invocation, made.error)
    const files = { certificate: named(defaultAuthorityFile, domain), key: named(defaultAuthorityKeyFile, domain) }
    const written = await writePair(env.disk, files, made.value)
    if (!written.ok) return failed(invocation, `${written.error.why}.`)
    terminal.out(`==> Saved ${files.certificate}\n==> Saved ${files.key}\n`)
    return 0
  },
}

export const tlsCertificateCommand: CliCommand = {
  path: ['tls', 'cert', 'create'],
  summary: 'Creates a certificate that the authority of a cluster has signed',
  operands: '',
  about: 'Give every agent its own certificate. Each call uses the next free number in its file names.',
  flags: [
    {
      name: 'server',
      kind: 'bool',
      help: 'For a server: where verify_server_hostname is set, only an agent with such a certificate counts as a server.',
    },
    { name: 'client', kind: 'bool', help: 'For a client agent.' },
    { name: 'cli', kind: 'bool', help: 'For commands and other clients of the HTTP API.' },
    daysFlag(leafDays),
    { name: 'dc', kind: 'text', value: '<name>', help: 'The datacenter of the agent. Default: dc1.' },
    domainFlag,
    {
      name: 'additional-dnsname',
      kind: 'list',
      value: '<name>',
      help: 'Another DNS name that the certificate carries. May be repeated.',
    },
    {
      name: 'additional-ipaddress',
      kind: 'list',
      value: '<address>',
      help: 'Another IP address that the certificate carries, besides 127.0.0.1. May be repeated.',
    },
    {
      name: 'ca',
      kind: 'text',
      value: '<file>',
      help: `Certificate of the authority. Default: ${defaultAuthorityFile}, where #DOMAIN# stands for the value of -domain.`,
    },
    {
      name: 'key',
      kind: 'text',
      value: '<file>',
      help: `Private key of the authority. Default: ${defaultAuthorityKeyFile}.`,
    },
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { env, flags, terminal } = invocation
    const roles = (['server', 'client', 'cli'] as const).filter((role) => flags.get(role) === true)
    const [role] = roles
    if (role === undefined || roles.length !== 1) {
      return misused(invocation, 'Please provide either -server, -client, or -cli')
    }
    const domain = textFlag(flags, 'domain', defaultDomain(invocation.naming))
    const datacenter = textFlag(flags, 'dc', 'dc1')
    const ca = named(textFlag(flags, 'ca', defaultAuthorityFile), domain)
    const caKey = named(textFlag(flags, 'key', defaultAuthorityKeyFile), domain)
    const authority = await readPair(env.disk, ca, caKey)
    if (!authority.ok) return failed(invocation, authority.error)
    if (role === 'server') terminal.out(serverWarning)
    terminal.out(`==> Using ${ca} and ${caKey}\n`)
    const { makeLeaf } = await import('../files/certificates.ts')
    const made = makeLeaf(
      env,
      {
        role,
        days: numberFlag(flags, 'days', leafDays),
        datacenter,
        domain,
        dnsNames: listFlag(flags, 'additional-dnsname'),
        addresses: listFlag(flags, 'additional-ipaddress'),
      },
      authority.value,
    )
    if (!made.ok) return failed(invocation, made.error)
    return saveNumbered(invocation, `${datacenter}-${role}-${domain}`, made.value)
  },
}

const serverWarning = `==> WARNING: Server Certificates grants authority to become a
    server and access all state in the cluster including root keys
    and all ACL tokens. Do not distribute them to production hosts
    that are not server nodes. Store them as securely as CA keys.
`

/** Saves the pair under the first number that neither file has yet. */
async function saveNumbered(invocation: Invocation, prefix: string, pair: Pair): Promise<number> {
  const { env, terminal } = invocation
  for (let number = 0; number < pairsMax; number++) {
    const files = { certificate: `${prefix}-${number}.pem`, key: `${prefix}-${number}-key.pem` }
    const written = await writePair(env.disk, files, pair)
    if (written.ok) {
      terminal.out(`==> Saved ${files.certificate}\n==> Saved ${files.key}\n`)
      return 0
    }
    if (!written.error.taken) return failed(invocation, written.error.why)
  }
  return failed(invocation, `there are ${pairsMax} files ${prefix}-… already: move them away`)
}

type Flags = ReadonlyMap<string, FlagValue>

function textFlag(flags: Flags, name: string, otherwise: string): string {
  const value = flags.get(name)
  return typeof value === 'string' ? value : otherwise
}

function listFlag(flags: Flags, name: string): readonly string[] {
  const value = flags.get(name)
  return typeof value === 'object' ? value : []
}

function numberFlag(flags: Flags, name: string, otherwise: number): number {
  const value = flags.get(name)
  return typeof value === 'string' ? Number(value) : otherwise
}

function named(file: string, domain: string): string {
  return file.replace('#DOMAIN#', domain)
}
