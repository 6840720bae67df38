import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Built into pages for browsers, and so needed by developers only. */
const inPages = ['preact', 'uplot']

/**
 * What the program is made of, as CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/): by the lock file the packages that it
 * needs to run, and the Node of a program in one file. `npm sbom --omit dev` leaves out what tools for developers need, too.
 */
export function billOfMaterials({ root, epochS }) {
  const { packages, name, version } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = Object.entries(packages).filter(([path, { dev, optional, devOptional }]) => {
    if (inPages.some((each) => path === `node_modules/${each}`)) return true
    return path !== '' && dev !== true && optional !== true && devOptional !== true
  })
  const components = [...found.map(componentOf), node()].toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: '',
    version: 1,
    metadata: {
      timestamp: new Date(epochS * 1000).toISOString(),
      component: { 'bom-ref': `${name}@${version}`, type: 'application', name, version },
    },
    components,
  }
  return `${JSON.stringify({ ...bill, serialNumber: `urn:uuid:${uuidOf(bill)}` }, null, 2)}\n`
}

/** `path`: where npm puts it, below the package that needs it in a version of its own. */
function componentOf([path, { version, license, integrity, resolved }]) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const [algorithm, digest] = integrity.split('-')
  return {
    'bom-ref': path,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(resolved === undefined ? {} : { externalReferences: [{ type: 'distribution', url: resolved }] }),
  }
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

/** A UUID of version 8 (RFC 9562), whose bits are those of a digest: the same for the same content. */
function uuidOf(value) {
  const hex = createHash('sha256').update(JSON.stringify(value)).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
