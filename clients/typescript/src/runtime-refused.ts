/** The service rejected this runtime permanently. Reconnecting would fail again. */
export class RuntimeRefused extends Error {
  override name = 'RuntimeRefused'
  /** 4001: key rejected. 4002: protocol error. 4003: replaced by a newer session of the same instance. */
  readonly code: number
  readonly reason: string

  constructor({ code, reason }: { code: number; reason: string }, instance: string) {
    super(describeRefusal(code, reason, instance))
    this.code = code
    this.reason = reason
  }
}

function describeRefusal(code: number, reason: string, instance: string): string {
  switch (code) {
    case 4001:
      return `the service rejected the runtime key (4001, ${reason}); check the key, or create a new one`
    case 4003:
      return `another process with the instance name "${instance}" replaced this one (4003); give each process its own name`
    default:
      return `the service reported a protocol error (${code}, ${reason}); client and service may be of different versions`
  }
}
