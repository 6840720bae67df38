export interface Intention {
  readonly ID: string
  readonly Description: string
  readonly SourceName: string
  readonly DestinationName: string
  readonly Action: 'allow' | 'deny'
  readonly Precedence: number
  readonly Meta: Readonly<Record<string, string>> | null
  readonly CreatedAt: string
  readonly UpdatedAt: string
}
