package message

import "encoding/json"

// Ok is the content of a reply that has nothing more to say.
type Ok struct {
	Status string `json:"status"` // "ok"
}

// Failure is the content of a reply to a request that failed. Count is there in
// the reply to an execute_request.
type Failure struct {
	Status    string   `json:"status"` // "error" or "aborted"
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	Count     int      `json:"execution_count,omitempty"`
}

// Fail makes the content of an error reply.
func Fail(name, value string) Failure {
	return Failure{Status: "error", Name: name, Value: value, Traceback: []string{}}
}

// Data is a MIME bundle: a value for each MIME type.
type Data map[string]json.RawMessage

// ExecuteRequest asks for a cell to be run.
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history"` // nil means not Silent
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      *bool             `json:"allow_stdin"`   // nil means true
	StopOnError     *bool             `json:"stop_on_error"` // nil means true
}

// ExecuteReply answers an ExecuteRequest that went well.
type ExecuteReply struct {
	Status          string         `json:"status"`
	Count           int            `json:"execution_count"`
	UserExpressions map[string]any `json:"user_expressions"` // Expression or Failure
	Payload         []any          `json:"payload"`
}

// Page is a payload of an ExecuteReply: the front end shows it beside the cells, or
// under the cell.
type Page struct {
	Source string `json:"source"` // "page"
	Data   Data   `json:"data"`
	Start  int    `json:"start"` // the line that is shown first
}

// NextInput is a payload of an ExecuteReply: a cell for the front end to offer.
type NextInput struct {
	Source  string `json:"source"` // "set_next_input"
	Text    string `json:"text"`
	Replace bool   `json:"replace"` // in the place of the cell that ran
}

// AskExit is a payload of an ExecuteReply: the front end is to end.
type AskExit struct {
	Source string `json:"source"` // "ask_exit"
	Keep   bool   `json:"keepkernel"`
}

// Expression is the value of a user expression.
type Expression struct {
	Status   string `json:"status"`
	Data     Data   `json:"data"`
	Metadata Data   `json:"metadata"`
}

// ExecuteInput tells all clients what is being run.
type ExecuteInput struct {
	Code  string `json:"code"`
	Count int    `json:"execution_count"`
}

// ExecuteResult is the value of a cell's last expression.
type ExecuteResult struct {
	Count    int  `json:"execution_count"`
	Data     Data `json:"data"`
	Metadata Data `json:"metadata"`
}

// Error tells all clients that a cell failed.
type Error struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// Stream is text of a standard stream.
type Stream struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Transient is what front ends do not save.
type Transient struct {
	ID string `json:"display_id,omitempty"`
}

// DisplayData shows something, or shows it anew as update_display_data.
type DisplayData struct {
	Data      Data      `json:"data"`
	Metadata  Data      `json:"metadata"`
	Transient Transient `json:"transient"`
}

// ClearOutput empties a cell's output, at once or before what comes next.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

// Status says whether the kernel is at work.
type Status struct {
	State string `json:"execution_state"` // "starting", "busy" or "idle"
}

// CompleteRequest asks what may stand at a place; Cursor counts code points.
type CompleteRequest struct {
	Code   string `json:"code"`
	Cursor int    `json:"cursor_pos"`
}

// CompleteReply answers it.
type CompleteReply struct {
	Status   string         `json:"status"`
	Matches  []string       `json:"matches"`
	Start    int            `json:"cursor_start"`
	End      int            `json:"cursor_end"`
	Metadata map[string]any `json:"metadata"`
}

// CompletionType is JupyterLab's form of one match, in CompleteReply's metadata
// under _jupyter_types_experimental.
type CompletionType struct {
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature,omitempty"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// InspectRequest asks what stands at a place.
type InspectRequest struct {
	Code   string `json:"code"`
	Cursor int    `json:"cursor_pos"`
	Detail int    `json:"detail_level"`
}

// InspectReply answers it.
type InspectReply struct {
	Status   string `json:"status"`
	Found    bool   `json:"found"`
	Data     Data   `json:"data"`
	Metadata Data   `json:"metadata"`
}

// IsCompleteRequest asks whether Enter should run a cell.
type IsCompleteRequest struct {
	Code string `json:"code"`
}

// IsCompleteReply answers it. It has no status of its own.
type IsCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"`
}

// HistoryRequest asks for earlier cells.
type HistoryRequest struct {
	Output  bool   `json:"output"`
	Raw     bool   `json:"raw"`
	Access  string `json:"hist_access_type"` // "range", "tail" or "search"
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    *int   `json:"stop"`
	N       int    `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

// HistoryReply answers it; each entry is session, line and input, where input is
// a pair with the output if that was asked for.
type HistoryReply struct {
	Status  string   `json:"status"`
	History [][3]any `json:"history"`
}

// CommInfoRequest asks which comms are open, of one target or of all.
type CommInfoRequest struct {
	Target string `json:"target_name"`
}

// CommInfo says what an open comm is for.
type CommInfo struct {
	Target string `json:"target_name"`
}

// Comm is the content of comm_open, comm_msg and comm_close.
type Comm struct {
	ID     string          `json:"comm_id"`
	Target string          `json:"target_name,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// CommInfoReply lists the open comms.
type CommInfoReply struct {
	Status string              `json:"status"`
	Comms  map[string]CommInfo `json:"comms"`
}

// KernelInfo answers a kernel_info_request.
type KernelInfo struct {
	Status         string       `json:"status"`
	Protocol       string       `json:"protocol_version"`
	Implementation string       `json:"implementation"`
	Version        string       `json:"implementation_version"`
	Language       LanguageInfo `json:"language_info"`
	Banner         string       `json:"banner"`
	Debugger       bool         `json:"debugger"`
	Features       []string     `json:"supported_features"`
	Help           []HelpLink   `json:"help_links"`
}

// LanguageInfo tells front ends how to show cells.
type LanguageInfo struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	MIME       string `json:"mimetype"`
	Extension  string `json:"file_extension"`
	Lexer      string `json:"pygments_lexer"`
	CodeMirror string `json:"codemirror_mode"`
	Exporter   string `json:"nbconvert_exporter"`
}

// HelpLink is an entry of a front end's help menu.
type HelpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// ConnectReply lists the kernel's ports.
type ConnectReply struct {
	Status    string `json:"status"`
	Shell     int    `json:"shell_port"`
	IOPub     int    `json:"iopub_port"`
	Stdin     int    `json:"stdin_port"`
	Heartbeat int    `json:"hb_port"`
	Control   int    `json:"control_port"`
}

// Shutdown is the content of shutdown_request and, with a status, of its reply.
type Shutdown struct {
	Status  string `json:"status,omitempty"`
	Restart bool   `json:"restart"`
}

// InputRequest asks the person for a line.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// InputReply answers it.
type InputReply struct {
	Value string `json:"value"`
}

// Subshell is the content of create_subshell_reply and delete_subshell_request.
type Subshell struct {
	Status string `json:"status,omitempty"`
	ID     string `json:"subshell_id"`
}

// Subshells answers a list_subshell_request.
type Subshells struct {
	Status string   `json:"status"`
	IDs    []string `json:"subshell_id"`
}

// DebugRequest is as much of a debug adapter's request as it takes to refuse it.
type DebugRequest struct {
	Seq     int    `json:"seq"`
	Command string `json:"command"`
}

// DebugReply refuses it.
type DebugReply struct {
	Type    string `json:"type"`
	Seq     int    `json:"seq"`
	Request int    `json:"request_seq"`
	Command string `json:"command"`
	Success bool   `json:"success"`
	Message string `json:"message"`
}
