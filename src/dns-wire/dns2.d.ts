/**
 * What this room uses of the package dns2: the codec of headers, questions and records. The package's own declarations
 * bring Node's types along, so the project's `paths` put this file in their place.
 */
export interface CodecReader {
  readonly buffer: Uint8Array
  /** In bits; assigned to when a name's pointer is followed. */
  offset: number
  /** 1 to 32 bits, as an unsigned number. */
  read(bits: number): number
  /** In bits. */
  remaining(): number
}

export interface CodecWriter {
  /** Where suffixes of names stand, for compression; `encode` makes a Map when this is undefined. */
  names: unknown
  write(value: number, bits: number): void
  bitLength(): number
  byteLength(): number
  patch(bitOffset: number, value: number, bits: number): void
  /** Called after every record. */
  toBuffer(): undefined
}

export interface CodecHeader {
  id: number
  qr: number
  opcode: number
  aa: number
  tc: number
  rd: number
  ra: number
  cd: number
  rcode: number
  qdcount: number
  ancount: number
  nscount: number
  arcount: number
}

export interface CodecQuestion {
  name: string
  type: number
  class: number
}

/** Which of the further fields are there follows the type. */
export interface CodecResource {
  name: string
  type: number
  class: number
  ttl: number
  address?: string
  domain?: string
  ns?: string
  priority?: number
  weight?: number
  port?: number
  target?: string
  /** TXT: texts. */
  data?: readonly string[]
  primary?: string
  admin?: string
  serial?: number
  refresh?: number
  retry?: number
  expiration?: number
  minimum?: number
}

export declare class Packet {
  header: Partial<CodecHeader>
  questions: CodecQuestion[]
  answers: CodecResource[]
  authorities: CodecResource[]
  additionals: CodecResource[]
  toBuffer(writer: CodecWriter): undefined
  static readonly Header: { parse(reader: CodecReader): CodecHeader }
  static readonly Question: { parse(reader: CodecReader): CodecQuestion }
  static readonly Resource: { parse(reader: CodecReader): CodecResource }
}
