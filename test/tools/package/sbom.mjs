import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'

/**
 * What the program is made of, as CycloneDX 1.5: the packages that it contains, by the lock file, and the Node that runs it in a
 * one-file program. npm gives each document a number and a time of its own; here they follow from the content and the commit.
 */
export function billOfMaterials({ root, epochS }) {
  const flags = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx']
  const bill = JSON.parse(execFileSync('npm', flags, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 }))
  const components = [...bill.components, node()].toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const { tools: _, ...metadata } = bill.metadata
  const told = {
    ...bill,
    metadata: { ...metadata, timestamp: new Date(epochS * 1000).toISOString() },
    components,
    dependencies: bill.dependencies.toSorted((a, b) => (a.ref < b.ref ? -1 : 1)),
  }
  return `${JSON.stringify({ ...told, serialNumber: `urn:uuid:${uuidOf({ ...told, serialNumber: '' })}` }, null, 2)}\n`
}

function node() {
  const version = process.versions.node
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    scope: 'required',
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: 'MIT' } }],
    externalReferences: [{ type: 'distribution', url: `https://nodejs.org/dist/v${version}/` }],
  }
}

/** A UUID of version 8 (RFC 9562), whose bits are those of a digest. */
function uuidOf(value) {
  const hex = createHash('sha256').update(JSON.stringify(value)).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
