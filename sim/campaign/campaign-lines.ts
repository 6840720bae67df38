import { type SeedRecord, seedRecordSchema } from '../report/seed-record.ts'
import { type Manifest, manifestSchema, shareText } from './manifest.ts'
import { placeOfSeed } from './share.ts'

/** Receives the content of a campaign's file; each method may return why the content is refused. */
export interface CampaignReader {
  manifest(manifest: Manifest): string | undefined
  record(record: SeedRecord): string | undefined
}

/** Reads the lines of a campaign's file: first its manifest, then records of its own seeds. */
export class CampaignLines {
  readonly #file: string
  readonly #reader: CampaignReader
  readonly #pages = new Set<string>()
  #manifest: Manifest | undefined
  #lines = 0
  #problem: string | undefined

  constructor(file: string, reader: CampaignReader) {
    this.#file = file
    this.#reader = reader
  }

  /** What is wrong, with the place; undefined: nothing so far. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Undefined: its line was not read yet. */
  get manifest(): Manifest | undefined {
    return this.#manifest
  }

  /** False: the line is wrong, and the rest need not be read. */
  line(text: string): boolean {
    this.#lines++
    const wrong = this.#lines === 1 ? this.#takeManifest(text) : this.#takeRecord(text)
    if (wrong === undefined) return true
    this.#problem = `${this.#file}:${this.#lines}: ${wrong}`
    return false
  }

  #takeManifest(text: string): string | undefined {
    const value = parsedLine(text)
    if (typeof value === 'object' && value !== null && 'format' in value && 'version' in value) {
      const { format, version } = value
      if (format === 'svc-campaign' && version !== 1)
        return `a campaign of version ${version}: this release reads version 1`
    }
    const parsed = manifestSchema.safeParse(value)
    if (!parsed.success) {
      return 'it is no manifest of a campaign: svc-sim explore --jsonl FILE writes one as its first line'
    }
    this.#manifest = parsed.data
    for (const { page } of parsed.data.scenarios) this.#pages.add(page)
    return this.#reader.manifest(parsed.data)
  }

  #takeRecord(text: string): string | undefined {
    const parsed = seedRecordSchema.safeParse(parsedLine(text))
    const manifest = this.#manifest
    if (!parsed.success || manifest === undefined) {
      const issue = parsed.error?.issues[0]
      const what = issue === undefined || issue.path.length === 0 ? '' : `: ${issue.path.join('.')}: ${issue.message}`
      return `it is no record of a seed${what}: cut the file before this line, and go on with --resume`
    }
    const { build, page, scenario, seed } = parsed.data
    if (build !== manifest.build) return `seed ${seed} is of another build than the manifest`
    if (!this.#pages.has(page)) return `seed ${seed} is of '${scenario}', which the manifest does not have`
    const place = placeOfSeed(manifest.seeds, manifest.shard.of, seed)
    if (place?.index !== manifest.shard.index) return `seed ${seed} is not of shard ${shareText(manifest.shard)}`
    return this.#reader.record(parsed.data)
  }
}

/** Undefined: it is not JSON. */
function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
