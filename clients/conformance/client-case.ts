import type { ClientProcess } from './client-process.ts'
import type { FakeService } from './fake-service.ts'

/** What a case has: a fake service, and the client under test just started against it. */
export interface Stage {
  service: FakeService
  client: ClientProcess
}

export interface ClientCase {
  /** A sentence that is true of a client that keeps to the protocol. */
  title: string
  /** @throws CaseFailure with what the client did instead */
  run: (stage: Stage) => Promise<void>
}
