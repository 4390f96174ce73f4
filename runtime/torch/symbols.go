package torch

// fn holds the addresses of libtorch's functions.
var fn struct {
	dispatch, newList, push, some, what, newHandle, del, newString uintptr
	setGrad, requireGrad, requiresGrad, grad, mutableGrad          uintptr
	newUndefined, assign, isDefined                                uintptr
	setThreads, getThreads                                         uintptr
	fromBlob, empty, reinterpret, full, copy, zero                 uintptr
	data, sizes, strides, dim, dtype                               uintptr
	contiguous, storageOffset                                      uintptr
	sub, add, mul, cat                                             uintptr
	mmOut, bmmOut, baddbmmOut, addmmOut                            uintptr
	onednn, onednnBinary                                           uintptr
	alloc                                                          uintptr
}

// symbols lists them. Those not needed are faster ways, or ways to say more.
var symbols = []struct {
	at   *uintptr
	name string
	need bool
}{
	{&fn.dispatch, "torch_call_dispatcher", true},
	{&fn.newList, "torch_new_list_reserve_size", true},
	{&fn.push, "torch_list_push_back", true},
	{&fn.newString, "torch_new_string_handle", true},
	{&fn.some, "torch_new_stable_ivalue", false},
	{&fn.what, "torch_exception_get_what_without_backtrace", false},
	{&fn.newHandle, "aoti_torch_new_tensor_handle", true},
	{&fn.del, "aoti_torch_delete_tensor_object", true},
	{&fn.setGrad, "aoti_torch_grad_mode_set_enabled", true},
	{&fn.requireGrad, "torch_set_requires_grad", true},
	{&fn.requiresGrad, "_ZNK3c1010TensorImpl13requires_gradEv", true},
	{&fn.grad, "_ZNK3c1010TensorImpl4gradEv", true},
	{&fn.mutableGrad, "_ZN3c1010TensorImpl12mutable_gradEv", true},
	{&fn.newUndefined, "aoti_torch_new_uninitialized_tensor", true},
	{&fn.assign, "aoti_torch_assign_tensors", true},
	{&fn.isDefined, "aoti_torch_is_defined", true},
	{&fn.setThreads, "_ZN2at15set_num_threadsEi", true},
	{&fn.getThreads, "_ZN2at15get_num_threadsEv", true},
	{&fn.fromBlob, "aoti_torch_create_tensor_from_blob", true},
	{&fn.empty, "aoti_torch_empty_strided", true},
	{&fn.reinterpret, "aoti_torch__reinterpret_tensor", true},
	{&fn.full, "aoti_torch_aten_full", true},
	{&fn.copy, "aoti_torch_copy_", true},
	{&fn.zero, "aoti_torch_zero_", true},
	{&fn.data, "aoti_torch_get_data_ptr", true},
	{&fn.sizes, "aoti_torch_get_sizes", true},
	{&fn.strides, "aoti_torch_get_strides", true},
	{&fn.dim, "aoti_torch_get_dim", true},
	{&fn.dtype, "aoti_torch_get_dtype", true},
	{&fn.contiguous, "aoti_torch_is_contiguous", true},
	{&fn.storageOffset, "aoti_torch_get_storage_offset", true},
	{&fn.sub, "aoti_torch_aten_subtract_Tensor", true},
	{&fn.add, "aoti_torch_cpu_add_Tensor", true},
	{&fn.mul, "aoti_torch_cpu_mul_Tensor", true},
	{&fn.cat, "aoti_torch_cpu_cat", true},
	{&fn.mmOut, "aoti_torch_cpu_mm_out", true},
	{&fn.bmmOut, "aoti_torch_cpu_bmm_out", true},
	{&fn.baddbmmOut, "aoti_torch_cpu_baddbmm_out", true},
	{&fn.addmmOut, "aoti_torch_cpu_addmm_out", true},
	{&fn.onednn, "aoti_torch_cpu__linear_pointwise", false},
	{&fn.onednnBinary, "aoti_torch_cpu__linear_pointwise_binary", false},
	{&fn.alloc, "posix_memalign", true},
}
