import type { Feature } from "../../domain/feature.ts";
import { webhookAlertsLoop } from "./webhook-alerts.ts";

export const alerts: Feature = { room: "alerts", loops: [webhookAlertsLoop] };
