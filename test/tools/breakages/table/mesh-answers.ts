import type { Breakage } from '../breakage.ts'

const model = 'src/features/connect/model.ts'
const facts = 'src/features/connect/provider/facts.ts'
const writes = 'src/features/connect/writes.ts'
const options = 'src/features/connect/options.ts'

/** What the certificate authority answers: its roots, and its configuration. */
export const meshAnswerBreakages: readonly Breakage[] = [
  { id: 'CA-031', file: model, find: 'Roots: roots.map(rootJson)', replace: 'Roots: roots.slice(1).map(rootJson)' },
  {
    id: 'CA-032',
    file: 'src/features/connect/views.ts',
    find: "roots.find(({ active }) => active)?.id ?? ''",
    replace: "roots.find(({ generation }) => generation === 1)?.id ?? ''",
  },
  {
    id: 'CA-033',
    file: 'src/features/connect/leader/roots.ts',
    find: 'lowerAscii(`${clusterId}.${withoutDot(dnsDomain)}`)',
    replace: 'lowerAscii(`${clusterId}.svc`)',
  },
  {
    id: 'CA-034',
    file: writes,
    find: 'tx.put(rootsTable, Object.freeze({ ...before, ...replaced }))',
    replace: 'tx.delete(rootsTable, byteString(before.id))',
  },
  {
    id: 'CA-035',
    file: facts,
    find: 'return colonHex(crypto.sha1(der))',
    replace: 'return colonHex(crypto.sha1(der)).toUpperCase()',
  },
  { id: 'CA-036', file: facts, find: 'name: `${kind.title} CA Root Cert`', replace: "name: ''" },
  {
    id: 'CA-037',
    file: model,
    find: 'SerialNumber: BigInt(root.serialNumber)',
    replace: 'SerialNumber: Number(root.serialNumber)',
  },
  { id: 'CA-038', file: model, find: 'SigningKeyID: root.signingKeyId', replace: 'SigningKeyID: root.id' },
  {
    id: 'CA-039',
    file: model,
    find: 'NotBefore: utcText(root.notBeforeMs)',
    replace: 'NotBefore: utcText(root.notAfterMs)',
  },
  {
    id: 'CA-040',
    file: model,
    find: 'NotAfter: utcText(root.notAfterMs)',
    replace: 'NotAfter: String(root.notAfterMs)',
  },
  {
    id: 'CA-041',
    file: model,
    find: 'RootCert: root.certificate',
    replace: "RootCert: root.certificate.replaceAll('\\n', ' ')",
  },
  {
    id: 'CA-042',
    file: model,
    find: 'root.intermediates.length === 0 ? null : root.intermediates',
    replace: 'root.intermediates',
  },
  {
    id: 'CA-043',
    file: writes,
    find: 'return [...own, ...crossingsBehind(tx, active).flatMap(({ certificates }) => certificates)]',
    replace: 'return own',
  },
  {
    id: 'CA-044',
    file: writes,
    find: 'const replaced = { active: false,',
    replace: 'const replaced = { active: true,',
  },
  { id: 'CA-045', file: model, find: 'CreateIndex: root.createIndex', replace: 'CreateIndex: root.generation - 1' },
  { id: 'CA-046', file: model, find: 'ModifyIndex: root.modifyIndex', replace: 'ModifyIndex: root.replacedMs' },
  {
    id: 'CA-047',
    file: 'src/features/connect/routes.ts',
    find: '{ ...options.value, minIndex: noChange, waitMs: 0 }\n  const answer = await context.query(configurationGetEndpoint, {}',
    replace:
      '{ ...options.value, minIndex: noChange, waitMs: 0 }\n  const answer = await context.query(rootsEndpoint, {}',
  },
  { id: 'CA-048', file: model, find: '{ Provider: provider, Config', replace: '{ Provider: `${provider} CA`, Config' },
  {
    id: 'CA-049',
    file: options,
    find: 'const shown = new Map(Object.entries(options))',
    replace: 'const shown = new Map<string, ProviderOptions[string]>()',
  },
  {
    id: 'CA-050',
    file: 'src/features/connect/provider/built-in.ts',
    find: "secretOptions: ['PrivateKey']",
    replace: 'secretOptions: []',
  },
  {
    id: 'CA-051',
    file: options,
    find: 'return hoursText(read.ok ? read.value : absentMs)',
    replace: 'return read.ok && read.value !== absentMs ? textOption(options, name) : hoursText(absentMs)',
  },
  {
    id: 'CA-052',
    file: 'src/features/connect/rotation-commands.ts',
    find: 'provider, options: wished, modifyIndex: tx.index }',
    replace: 'provider, options: wished }',
  },
  {
    id: 'CA-053',
    file: 'src/features/connect/rotation-commands.ts',
    find: "if (body.onlyAt !== null && body.onlyAt !== authority.modifyIndex) return { kind: 'other-index' }",
    replace: '',
  },
  {
    id: 'CA-054',
    file: 'src/features/connect/agent-routes.ts',
    find: 'ValidBefore: utcText(issued.notAfterMs)',
    replace: 'ValidBefore: utcText(issued.notBeforeMs)',
  },
]
