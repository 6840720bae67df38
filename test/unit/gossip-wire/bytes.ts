/** Bytes written as text (one character each, ASCII) and as hex between `<` and `>`: `<82a4>Node<a162>`. */
export function spelled(text: string): Uint8Array {
  const out: number[] = []
  for (const piece of text.split(/(<[0-9a-f ]*>)/)) {
    if (piece.startsWith('<')) out.push(...Buffer.from(piece.replace(/[<> ]/g, ''), 'hex'))
    else out.push(...Buffer.from(piece, 'latin1'))
  }
  return Uint8Array.from(out)
}

export function shown(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
