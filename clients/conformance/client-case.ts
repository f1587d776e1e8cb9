import type { ClientProcess } from './client-process.ts'
import type { FakeService } from './fake-service.ts'

/** The fake service and the client under test, which connects to it. */
export interface Stage {
  service: FakeService
  client: ClientProcess
}

export interface ClientCase {
  title: string
  /** @throws CaseFailure if the client misbehaves. The error describes what the client did. */
  run: (stage: Stage) => Promise<void>
}
